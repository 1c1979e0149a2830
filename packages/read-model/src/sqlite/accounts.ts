import type { AccountRecord, Accounts, KeyRecord } from '@medialog/application/ports'
import { guarded, type DatabaseSource } from './source.ts'
import { Statements } from './statements.ts'

interface AccountRow {
  account_id: string
  name: string
  tier: AccountRecord['tier']
  status: AccountRecord['status']
  opened_at: number
}

interface KeyRow {
  key_id: string
  account_id: string
  label: string
  capabilities: string
  digest: string
  previous_digest: string | null
  previous_valid_until: number | null
  expires_at: number | null
  revoked: number
  issued_at: number
}

const ACCOUNT = 'SELECT * FROM account WHERE account_id = ?'
const ACCOUNT_THEN = `
  SELECT account_id, name, account_history.tier, account_history.status, opened_at
  FROM account_history JOIN account USING (account_id)
  WHERE account_id = ? AND at <= ? ORDER BY at DESC, position DESC LIMIT 1`
const PAGE = 'SELECT * FROM account ORDER BY opened_position LIMIT ? OFFSET ?'
const COUNT = 'SELECT count(*) AS total FROM account'
const KEY = 'SELECT * FROM api_key JOIN account USING (account_id) WHERE key_id = ?'
const KEYS = 'SELECT * FROM api_key WHERE account_id = ? ORDER BY issued_position'

/** Accounts and API keys, read from their SQLite read model. */
export function openAccounts(source: DatabaseSource): Accounts {
  const statements = new Statements(source)
  return guarded(source, {
    async account(accountId, asOf) {
      const row = (
        asOf === undefined
          ? statements.get(ACCOUNT).get(accountId)
          : statements.get(ACCOUNT_THEN).get(accountId, asOf)
      ) as AccountRow | undefined
      return row ? accountOf(row) : null
    },

    list: async ({ offset, limit }) =>
      statements.snapshot(() => ({
        accounts: (statements.get(PAGE).all(limit, offset) as unknown as AccountRow[]).map(accountOf),
        total: statements.get(COUNT).get()!.total as number,
      })),

    async key(keyId) {
      const row = statements.get(KEY).get(keyId) as (AccountRow & KeyRow) | undefined
      return row ? { key: keyOf(row), account: accountOf(row) } : null
    },

    keys: async (accountId) => (statements.get(KEYS).all(accountId) as unknown as KeyRow[]).map(keyOf),

    position: async () => statements.get('SELECT position FROM checkpoint').get()!.position as number,
  })
}

const accountOf = (row: AccountRow): AccountRecord => ({
  accountId: row.account_id,
  name: row.name,
  tier: row.tier,
  status: row.status,
  openedAt: row.opened_at,
})

const keyOf = (row: KeyRow): KeyRecord => ({
  keyId: row.key_id,
  accountId: row.account_id,
  label: row.label,
  capabilities: row.capabilities.split(' ').filter(Boolean) as KeyRecord['capabilities'],
  digest: row.digest,
  previous:
    row.previous_digest === null
      ? null
      : { digest: row.previous_digest, validUntil: row.previous_valid_until! },
  expiresAt: row.expires_at,
  revoked: row.revoked === 1,
  issuedAt: row.issued_at,
})
