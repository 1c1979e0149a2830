import {
  ERASED_ACCOUNT_NAME,
  type AccountRecord,
  type AccountsChange,
  type KeyRecord,
} from '@medialog/application/ports'
import type { Uuid } from '@medialog/kernel'
import { keyword, long } from '../definition.ts'
import type { Place } from '../documents-of-batch.ts'
import { plainIndex, type PlainDocuments } from '../plain-index.ts'

/** As it is, and what it was from a moment on. */
export interface AccountDocument extends AccountRecord {
  kind: 'account'
  /** Log position. */
  opened: number
  /** In the order of the log, which times never contradict. */
  history: (Pick<AccountRecord, 'tier' | 'status'> & { at: number })[]
}

export interface KeyDocument extends KeyRecord {
  kind: 'key'
  /** Log position. */
  issued: number
}

type AnyDocument = AccountDocument | KeyDocument
type Documents = PlainDocuments<AnyDocument>

export const accountPlace = (accountId: Uuid): Place => ({ id: `account/${accountId}`, routing: accountId })
export const keyPlace = (keyId: string): Place => ({ id: `key/${keyId}`, routing: keyId })

/** Accounts and API keys. */
export const accountsIndex = plainIndex<AccountsChange, AnyDocument>({
  name: 'accounts',
  version: 1,
  properties: { accountId: keyword, opened: long, issued: long },
  kinds: ['account', 'key'],
  concerned: (change) => [placeOf(change)],
  apply,
})

function placeOf(change: AccountsChange): Place {
  switch (change.type) {
    case 'PutAccount':
      return accountPlace(change.account.accountId)
    case 'SetTier':
    case 'SetStatus':
    case 'EraseAccount':
      return accountPlace(change.accountId)
    case 'PutKey':
      return keyPlace(change.key.keyId)
    case 'RotateKey':
    case 'RevokeKey':
      return keyPlace(change.keyId)
  }
}

async function apply(documents: Documents, change: AccountsChange, position: number): Promise<void> {
  const place = placeOf(change)
  switch (change.type) {
    case 'PutAccount':
      return documents.change<AccountDocument>(place, position, (before) => {
        const { account } = change
        const { tier, status, openedAt: at } = account
        return before ?? { kind: 'account', ...account, opened: position, history: [{ at, tier, status }] }
      })
    case 'SetTier':
    case 'SetStatus':
      return documents.change<AccountDocument>(place, position, (before) => before && changed(before, change))
    case 'EraseAccount':
      return documents.change<AccountDocument>(place, position, (before) => erased(before, change, position))
    case 'PutKey':
      return documents.change<KeyDocument>(
        place,
        position,
        (before) => before ?? { kind: 'key', ...change.key, issued: position },
      )
    case 'RotateKey':
      return documents.change<KeyDocument>(place, position, (before) => {
        const { digest, oldValidUntil: validUntil } = change
        return before && { ...before, digest, previous: { digest: before.digest, validUntil } }
      })
    case 'RevokeKey':
      return documents.change<KeyDocument>(
        place,
        position,
        (before) => before && { ...before, revoked: true },
      )
  }
}

function erased(
  before: AccountDocument | null,
  { accountId, tier, openedAt, at }: Extract<AccountsChange, { type: 'EraseAccount' }>,
  position: number,
): AccountDocument {
  const account = { accountId, name: ERASED_ACCOUNT_NAME, tier, status: 'closed' as const, openedAt }
  const { opened, history } = before ?? { opened: position, history: [] }
  return { kind: 'account', ...account, opened, history: [...history, { at, tier, status: 'closed' }] }
}

function changed(
  before: AccountDocument,
  change: Extract<AccountsChange, { type: 'SetTier' | 'SetStatus' }>,
): AccountDocument {
  const tier = change.type === 'SetTier' ? change.tier : before.tier
  const status = change.type === 'SetStatus' ? change.status : before.status
  const at = Math.max(change.at, before.history.at(-1)!.at)
  return { ...before, tier, status, history: [...before.history, { at, tier, status }] }
}
