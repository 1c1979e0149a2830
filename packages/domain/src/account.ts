import { DomainError, type Decider, type Uuid } from '@medialog/kernel'

export const TIERS = ['free', 'standard', 'enterprise'] as const
export type Tier = (typeof TIERS)[number]
export const CAPABILITIES = ['read', 'write', 'delete'] as const
export type Capability = (typeof CAPABILITIES)[number]
export type PaymentStatus = 'active' | 'suspended' | 'closed'

export interface IssuedKey {
  keyId: string
  label: string
  /** Hex SHA-256 of the secret; the secret itself is never kept. */
  digest: string
  capabilities: Capability[]
  expiresAt: number | null
  at: number
}

/** Stream `account-<account>`. Times are milliseconds since the epoch. */
export type AccountEvent =
  | { type: 'AccountOpened'; accountId: Uuid; name: string; tier: Tier; at: number }
  | { type: 'TierChanged'; tier: Tier }
  | { type: 'AccountSuspended' }
  | { type: 'AccountReinstated' }
  | { type: 'AccountClosed' }
  /** All before goes, with its name and the labels of its keys. */
  | { type: 'AccountErased'; tier: Tier; openedAt: number }
  | ({ type: 'ApiKeyIssued' } & IssuedKey)
  /** The old secret stays valid until `oldValidUntil`. */
  | { type: 'ApiKeyRotated'; keyId: string; digest: string; oldValidUntil: number }
  | { type: 'ApiKeyRevoked'; keyId: string }

export type AccountCommand =
  | { type: 'OpenAccount'; accountId: Uuid; name: string; tier: Tier; at: number }
  | { type: 'ChangeTier'; tier: Tier }
  | { type: 'SuspendAccount' }
  | { type: 'ReinstateAccount' }
  | { type: 'CloseAccount' }
  /** Once it is closed. */
  | { type: 'EraseAccount' }
  | ({ type: 'IssueApiKey' } & IssuedKey)
  | { type: 'RotateApiKey'; keyId: string; digest: string; at: number; oldValidUntil: number }
  | { type: 'RevokeApiKey'; keyId: string }

export interface Account {
  status: 'unopened' | PaymentStatus
  tier: Tier
  openedAt: number
  erased: boolean
  keys: Map<string, { digest: string; revoked: boolean }>
}

export class AccountNotFound extends DomainError {
  constructor() {
    super('ACCOUNT_NOT_FOUND', 'There is no such account.')
  }
}

export class AccountIsClosed extends DomainError {
  constructor() {
    super('ACCOUNT_CLOSED', 'The account is closed.')
  }
}

export class ApiKeyNotFound extends DomainError {
  constructor(keyId: string) {
    super('KEY_NOT_FOUND', 'The account has no such key, or it was revoked.', { key_id: keyId })
  }
}

export const account: Decider<AccountCommand, AccountEvent, Account> = {
  initialState: () => ({ status: 'unopened', tier: 'standard', openedAt: 0, erased: false, keys: new Map() }),

  evolve(state, event) {
    switch (event.type) {
      case 'AccountOpened':
        return { ...state, status: 'active', tier: event.tier, openedAt: event.at }
      case 'TierChanged':
        return { ...state, tier: event.tier }
      case 'AccountSuspended':
        return { ...state, status: 'suspended' }
      case 'AccountReinstated':
        return { ...state, status: 'active' }
      case 'AccountClosed':
        return { ...state, status: 'closed' }
      case 'AccountErased':
        return { status: 'closed', tier: event.tier, openedAt: event.openedAt, erased: true, keys: new Map() }
      case 'ApiKeyIssued':
      case 'ApiKeyRotated':
        state.keys.set(event.keyId, { digest: event.digest, revoked: false })
        return state
      case 'ApiKeyRevoked':
        state.keys.get(event.keyId)!.revoked = true
        return state
    }
  },

  decide(command, state) {
    if (command.type === 'OpenAccount')
      return state.status === 'unopened' ? [{ ...command, type: 'AccountOpened' }] : []
    if (state.status === 'unopened') throw new AccountNotFound()
    if (command.type === 'CloseAccount') return state.status === 'closed' ? [] : [{ type: 'AccountClosed' }]
    if (command.type === 'EraseAccount') return erase(state)
    if (state.status === 'closed') throw new AccountIsClosed()
    const key = 'keyId' in command ? state.keys.get(command.keyId) : undefined
    switch (command.type) {
      case 'ChangeTier':
        return state.tier === command.tier ? [] : [{ type: 'TierChanged', tier: command.tier }]
      case 'SuspendAccount':
        return state.status === 'suspended' ? [] : [{ type: 'AccountSuspended' }]
      case 'ReinstateAccount':
        return state.status === 'active' ? [] : [{ type: 'AccountReinstated' }]
      case 'IssueApiKey':
        return key ? [] : [{ ...command, type: 'ApiKeyIssued' }]
      case 'RotateApiKey': {
        if (!key || key.revoked) throw new ApiKeyNotFound(command.keyId)
        const { keyId, digest, oldValidUntil } = command
        return key.digest === digest ? [] : [{ type: 'ApiKeyRotated', keyId, digest, oldValidUntil }]
      }
      case 'RevokeApiKey':
        if (!key) throw new ApiKeyNotFound(command.keyId)
        return key.revoked ? [] : [{ type: 'ApiKeyRevoked', keyId: command.keyId }]
    }
  },
}

const erase = ({ status, erased, tier, openedAt }: Account): AccountEvent[] =>
  status === 'closed' && !erased ? [{ type: 'AccountErased', tier, openedAt }] : []
