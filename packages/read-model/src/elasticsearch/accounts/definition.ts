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
  /** Its keys, until the account is erased. */
  keyIds: string[]
}

export interface KeyDocument extends KeyRecord {
  kind: 'key'
  /** Log position. */
  issued: number
}

/** In place of a key of an erased account: a document that is removed would forget its version. */
export interface ErasedKeyDocument {
  kind: 'erased'
}

type AnyDocument = AccountDocument | KeyDocument | ErasedKeyDocument
type Documents = PlainDocuments<AnyDocument>

export const accountPlace = (accountId: Uuid): Place => ({ id: `account/${accountId}`, routing: accountId })
export const keyPlace = (keyId: string): Place => ({ id: `key/${keyId}`, routing: keyId })

/** Accounts and API keys. */
export const accountsIndex = plainIndex<AccountsChange, AnyDocument>({
  name: 'accounts',
  version: 2,
  properties: { accountId: keyword, opened: long, issued: long },
  kinds: ['account', 'key'],
  concerned: (change) =>
    change.type === 'PutKey' ? [placeOf(change), accountPlace(change.key.accountId)] : [placeOf(change)],
  apply,
  // Once the account's own has landed, nothing tells which keys it had.
  isFirst: ({ kind }) => kind === 'erased',
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
        const history = [{ at, tier, status }]
        return before ?? { kind: 'account', ...account, opened: position, history, keyIds: [] }
      })
    case 'SetTier':
    case 'SetStatus':
      return documents.change<AccountDocument>(place, position, (before) => before && changed(before, change))
    case 'EraseAccount': {
      const account = await documents.get<AccountDocument>(place.id, place.routing)
      for (const keyId of account?.keyIds ?? [])
        await documents.change<AnyDocument>(keyPlace(keyId), position, () => ({ kind: 'erased' }))
      return documents.change<AccountDocument>(place, position, (before) => erased(before, change, position))
    }
    case 'PutKey': {
      const { accountId, keyId } = change.key
      await documents.change<KeyDocument>(
        place,
        position,
        (before) => before ?? { kind: 'key', ...change.key, issued: position },
      )
      return documents.change<AccountDocument>(
        accountPlace(accountId),
        position,
        (before) => before && { ...before, keyIds: [...before.keyIds, keyId] },
      )
    }
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
  const ended = { at, tier, status: 'closed' as const }
  return { kind: 'account', ...account, opened, history: [...history, ended], keyIds: [] }
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
