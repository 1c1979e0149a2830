import type { Capability, PaymentStatus, Tier } from '@medialog/domain'
import type { LogPosition, Uuid } from '@medialog/kernel'

export interface AccountRecord {
  accountId: Uuid
  name: string
  tier: Tier
  status: PaymentStatus
  /** Milliseconds since the epoch. */
  openedAt: number
}

export interface KeyRecord {
  keyId: string
  accountId: Uuid
  label: string
  capabilities: Capability[]
  /** Hex SHA-256 of the secret. */
  digest: string
  /** The secret before the last rotation, while its grace period lasts. */
  previous: { digest: string; validUntil: number } | null
  expiresAt: number | null
  revoked: boolean
  issuedAt: number
}

/** What a projection tells the read model to do. */
export type AccountsChange =
  | { type: 'PutAccount'; account: AccountRecord }
  | { type: 'SetTier'; accountId: Uuid; tier: Tier }
  | { type: 'SetStatus'; accountId: Uuid; status: PaymentStatus }
  | { type: 'PutKey'; key: KeyRecord }
  /** The digest that was valid so far stays valid until then. */
  | { type: 'RotateKey'; keyId: string; digest: string; oldValidUntil: number }
  | { type: 'RevokeKey'; keyId: string }

/** Accounts and API keys as read models. */
export interface Accounts {
  account(accountId: Uuid): Promise<AccountRecord | null>
  /** In the order in which they were opened. */
  accounts(): Promise<AccountRecord[]>
  /** The key, revoked and expired ones included, with its account. On the path of every request. */
  key(keyId: string): Promise<{ key: KeyRecord; account: AccountRecord } | null>
  keys(accountId: Uuid): Promise<KeyRecord[]>
  position(): Promise<LogPosition>
}
