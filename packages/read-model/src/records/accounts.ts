import {
  ERASED_ACCOUNT_NAME,
  type AccountRecord,
  type Accounts,
  type KeyRecord,
} from '@medialog/application/ports'
import type { DecodedEvent } from '@medialog/contract'
import type { LogPosition, Uuid } from '@medialog/kernel'
import { kindOf, type DocumentQueries, type Documents, type RecordModel } from '../documents.ts'

/** An account, and what it was since when. */
interface StoredAccount extends AccountRecord {
  openedPosition: LogPosition
  /** In the order of the log, which `at` never contradicts. */
  history: (Pick<AccountRecord, 'tier' | 'status'> & { at: number })[]
  /** None once the account is erased. */
  keyIds: string[]
}

interface StoredKey extends KeyRecord {
  issuedPosition: LogPosition
}

const accounts = kindOf<StoredAccount>('account', {
  fields: { openedPosition: 'long' },
  indexes: [['openedPosition']],
  // Erasing an account finds its keys by it.
  isWrittenLast: true,
})
const keys = kindOf<StoredKey>('api_key', {
  fields: { accountId: 'keyword', issuedPosition: 'long' },
  indexes: [['accountId', 'issuedPosition']],
})

/** Accounts and API keys. */
export const accountsModel: RecordModel = {
  name: 'accounts',
  kinds: [accounts, keys],
  reducers: { account: reduce },
}

function reduce({ event, id: accountId, recorded }: DecodedEvent<'account'>, documents: Documents): void {
  const { position } = recorded
  const at = Date.parse(recorded.metadata.timestamp)
  const change = (changed: Partial<Pick<AccountRecord, 'tier' | 'status'>>): void =>
    documents.update(accounts, accountId, (before) => before && changedAt(before, at, changed))
  const changeKey = (keyId: string, changed: (key: StoredKey) => StoredKey): void =>
    documents.update(keys, keyId, (before) => before && changed(before))
  switch (event.type) {
    case 'AccountOpened': {
      const { name, tier, at: openedAt } = event
      const opened = { accountId, name, tier, status: 'active' as const, openedAt, openedPosition: position }
      const history = [{ at: openedAt, tier, status: opened.status }]
      return documents.update(accounts, accountId, (before) => before ?? { ...opened, history, keyIds: [] })
    }
    case 'TierChanged':
      return change({ tier: event.tier })
    case 'AccountSuspended':
      return change({ status: 'suspended' })
    case 'AccountReinstated':
      return change({ status: 'active' })
    case 'AccountClosed':
      return change({ status: 'closed' })
    case 'AccountErased': {
      const { tier, openedAt } = event
      return documents.update(accounts, accountId, (before) => {
        const known = before ?? { openedPosition: position, history: [], keyIds: [] }
        for (const keyId of known.keyIds) documents.remove(keys, keyId)
        const erased = { accountId, name: ERASED_ACCOUNT_NAME, tier, status: 'closed' as const, openedAt }
        const { status } = erased
        const history = [...known.history, { at, tier, status }]
        return { ...erased, openedPosition: known.openedPosition, history, keyIds: [] }
      })
    }
    case 'ApiKeyIssued': {
      const { keyId, label, digest, capabilities, expiresAt, at: issuedAt } = event
      const key = { keyId, accountId, label, capabilities, digest, previous: null, expiresAt, issuedAt }
      documents.update(
        keys,
        keyId,
        (before) => before ?? { ...key, revoked: false, issuedPosition: position },
      )
      return documents.update(
        accounts,
        accountId,
        (before) => before && { ...before, keyIds: [...before.keyIds, keyId] },
      )
    }
    case 'ApiKeyRotated': {
      const { digest, oldValidUntil: validUntil } = event
      return changeKey(event.keyId, (key) => ({
        ...key,
        digest,
        previous: { digest: key.digest, validUntil },
      }))
    }
    case 'ApiKeyRevoked':
      return changeKey(event.keyId, (key) => ({ ...key, revoked: true }))
  }
}

/** An event's own time may be before that of the event before it: clocks differ. */
function changedAt(
  before: StoredAccount,
  time: number,
  changed: Partial<Pick<AccountRecord, 'tier' | 'status'>>,
): StoredAccount {
  const { tier, status } = { ...before, ...changed }
  const at = Math.max(time, before.history.at(-1)!.at)
  return { ...before, tier, status, history: [...before.history, { at, tier, status }] }
}

/** Accounts and API keys, from their documents. */
export const accountsOf = (read: DocumentQueries): Accounts => ({
  async account(accountId, asOf) {
    const account = await read.get(accounts, accountId)
    if (!account || asOf === undefined) return account && accountOf(account)
    const then = account.history.findLast(({ at }) => at <= asOf)
    return then ? { ...accountOf(account), tier: then.tier, status: then.status } : null
  },

  async list(page) {
    const found = { where: {}, sort: [['openedPosition', 'asc'] as const] }
    const { documents, total } = await read.page(accounts, found, page)
    return { accounts: documents.map(accountOf), total }
  },

  async key(keyId) {
    const key = await read.get(keys, keyId)
    const account = key && (await read.get(accounts, key.accountId))
    return account && { key: keyOf(key), account: accountOf(account) }
  },

  async keys(accountId: Uuid) {
    const found = await read.find(keys, { where: { accountId }, sort: [['issuedPosition', 'asc']] })
    return found.map(keyOf)
  },

  position: () => read.position(),
})

const accountOf = ({ accountId, name, tier, status, openedAt }: StoredAccount): AccountRecord => ({
  accountId,
  name,
  tier,
  status,
  openedAt,
})

const keyOf = (key: StoredKey): KeyRecord => {
  const { keyId, accountId, label, capabilities, digest, previous, expiresAt, revoked, issuedAt } = key
  return { keyId, accountId, label, capabilities, digest, previous, expiresAt, revoked, issuedAt }
}
