import { ERASED_ACCOUNT_NAME, type AccountsChange } from '@medialog/application/ports'
import type { DatabaseSync } from 'node:sqlite'
import type { ReadModelDefinition } from './definition.ts'

const schema = `
  CREATE TABLE account (
    account_id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    tier TEXT NOT NULL,
    status TEXT NOT NULL,
    opened_at INTEGER NOT NULL,
    opened_position INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX account_opened ON account (opened_position);

  -- What an account was from a moment on.
  CREATE TABLE account_history (
    account_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    -- Never before the account's row before it, so that order in time is order in the log.
    at INTEGER NOT NULL,
    tier TEXT NOT NULL,
    status TEXT NOT NULL,
    PRIMARY KEY (account_id, position)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX account_history_time ON account_history (account_id, at, position);

  CREATE TABLE api_key (
    key_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    label TEXT NOT NULL,
    capabilities TEXT NOT NULL,
    digest TEXT NOT NULL,
    previous_digest TEXT,
    previous_valid_until INTEGER,
    expires_at INTEGER,
    revoked INTEGER NOT NULL,
    issued_at INTEGER NOT NULL,
    issued_position INTEGER NOT NULL,
    rotated_position INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX api_key_of ON api_key (account_id, issued_position);
`

/** Accounts and API keys. */
export const accountsDefinition = {
  name: 'accounts',
  version: 2,
  schema,
  digestQueries: [
    'SELECT * FROM account ORDER BY account_id',
    'SELECT * FROM account_history ORDER BY account_id, position',
    'SELECT * FROM api_key ORDER BY key_id',
  ],
  prepare: prepareChanges,
} as const satisfies ReadModelDefinition<AccountsChange>

function prepareChanges(database: DatabaseSync): (change: AccountsChange, position: number) => void {
  const putAccount = database.prepare('INSERT INTO account VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING')
  const setTier = database.prepare('UPDATE account SET tier = ? WHERE account_id = ?')
  const setStatus = database.prepare('UPDATE account SET status = ? WHERE account_id = ?')
  const remember = database.prepare(`
    INSERT INTO account_history
    SELECT account_id, :position,
      max(:at, coalesce((SELECT max(at) FROM account_history WHERE account_id = :account), 0)), tier, status
    FROM account WHERE account_id = :account
    ON CONFLICT DO NOTHING`)
  const erase = database.prepare(`
    INSERT INTO account VALUES (:account, :name, :tier, 'closed', :openedAt, :position)
    ON CONFLICT DO UPDATE SET name = excluded.name, tier = excluded.tier, status = excluded.status`)
  const removeKeys = database.prepare('DELETE FROM api_key WHERE account_id = ?')
  const putKey = prepareKey(database)
  const rotateKey = database.prepare(`
    UPDATE api_key SET previous_digest = digest, previous_valid_until = :until, digest = :digest,
      rotated_position = :position
    WHERE key_id = :key AND rotated_position < :position`)
  const revokeKey = database.prepare('UPDATE api_key SET revoked = 1 WHERE key_id = ?')

  return (change, position) => {
    switch (change.type) {
      case 'PutAccount': {
        const { accountId, name, tier, status, openedAt } = change.account
        putAccount.run(accountId, name, tier, status, openedAt, position)
        return void remember.run({ account: accountId, position, at: openedAt })
      }
      case 'SetTier':
        setTier.run(change.tier, change.accountId)
        return void remember.run({ account: change.accountId, position, at: change.at })
      case 'SetStatus':
        setStatus.run(change.status, change.accountId)
        return void remember.run({ account: change.accountId, position, at: change.at })
      case 'EraseAccount': {
        const { accountId: account, tier, openedAt, at } = change
        erase.run({ account, name: ERASED_ACCOUNT_NAME, tier, openedAt, position })
        removeKeys.run(account)
        return void remember.run({ account, position, at })
      }
      case 'PutKey':
        return putKey(change.key, position)
      case 'RotateKey': {
        const { keyId: key, digest, oldValidUntil: until } = change
        return void rotateKey.run({ key, digest, until, position })
      }
      case 'RevokeKey':
        return void revokeKey.run(change.keyId)
    }
  }
}

function prepareKey(database: DatabaseSync) {
  const insert = database.prepare(
    'INSERT INTO api_key VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  )
  return (key: Extract<AccountsChange, { type: 'PutKey' }>['key'], position: number): void => {
    const { keyId, accountId, label, capabilities, digest, previous, expiresAt, revoked, issuedAt } = key
    insert.run(
      keyId,
      accountId,
      label,
      capabilities.join(' '),
      digest,
      previous?.digest ?? null,
      previous?.validUntil ?? null,
      expiresAt,
      Number(revoked),
      issuedAt,
      position,
      position,
    )
  }
}
