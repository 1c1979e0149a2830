import type { AccountRecord, Accounts, KeyRecord } from '@medialog/application/ports'
import { unavailableWhenAway } from '../connection.ts'
import { collected, everything, readPage } from '../pages.ts'
import { readerOf, type ReaderOptions } from '../reader.ts'
import {
  accountPlace,
  keyPlace,
  type AccountDocument,
  type ErasedKeyDocument,
  type KeyDocument,
} from './definition.ts'

/** Accounts and API keys over Elasticsearch. A key and an account are read as they were written last. */
export function openElasticsearchAccounts(options: ReaderOptions): Accounts {
  const { client, index, get, position } = readerOf(options, 'accounts')

  return unavailableWhenAway<Accounts>({
    async account(accountId, asOf) {
      const account = await get<AccountDocument>(accountPlace(accountId))
      if (!account || asOf === undefined) return account && accountOf(account)
      const then = account.history.findLast(({ at }) => at <= asOf)
      return then ? { ...accountOf(account), tier: then.tier, status: then.status } : null
    },

    async list(page) {
      const query = { term: { kind: 'account' } }
      const wanted = { index, query, sort: [{ opened: 'asc' as const }] }
      const { documents, total } = await readPage<AccountDocument>(client, wanted, page)
      return { accounts: documents.map(accountOf), total }
    },

    async key(keyId) {
      const key = await get<KeyDocument | ErasedKeyDocument>(keyPlace(keyId))
      if (key?.kind !== 'key') return null
      const account = await get<AccountDocument>(accountPlace(key.accountId))
      return account && { key: keyOf(key), account: accountOf(account) }
    },

    async keys(accountId) {
      const query = { bool: { filter: [{ term: { kind: 'key' } }, { term: { accountId } }] } }
      const found = await collected(
        everything<KeyDocument>(client, { index, query, sort: [{ issued: 'asc' }] }),
      )
      return found.map(keyOf)
    },

    position,
  })
}

const accountOf = ({ accountId, name, tier, status, openedAt }: AccountDocument): AccountRecord => ({
  accountId,
  name,
  tier,
  status,
  openedAt,
})

const keyOf = (document: KeyDocument): KeyRecord => {
  const { keyId, accountId, label, capabilities, digest, previous, expiresAt, revoked, issuedAt } = document
  return { keyId, accountId, label, capabilities, digest, previous, expiresAt, revoked, issuedAt }
}
