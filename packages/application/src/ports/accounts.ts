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

/** What an account is called of which nothing but its ledger is left. */
export const ERASED_ACCOUNT_NAME = 'closed account'

/** Accounts and API keys as read models. */
export interface Accounts {
  /** As it is, or as it was at a moment (milliseconds): null before it was opened. */
  account(accountId: Uuid, asOf?: number): Promise<AccountRecord | null>
  /** In the order in which they were opened. `offset` counts accounts. */
  list(page: { offset: number; limit: number }): Promise<{ accounts: AccountRecord[]; total: number }>
  /** The key, revoked and expired ones included, with its account. On the path of every request. */
  key(keyId: string): Promise<{ key: KeyRecord; account: AccountRecord } | null>
  keys(accountId: Uuid): Promise<KeyRecord[]>
  position(): Promise<LogPosition>
}
