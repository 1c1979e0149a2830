import type { AccountsChange } from '@medialog/application/ports'
import { decodedOf, type Decoded, type Projection } from './projection.ts'

/** Accounts and their keys. */
export const accountsProjection: Projection<AccountsChange> = {
  name: 'accounts',
  batchSize: 512,
  project(recorded) {
    const decoded = decodedOf('account', recorded)
    return decoded ? [changeOf(decoded)] : []
  },
}

function changeOf({ event, id: accountId, recorded }: Decoded<'account'>): AccountsChange {
  const at = Date.parse(recorded.metadata.timestamp)
  switch (event.type) {
    case 'AccountOpened': {
      const { name, tier, at: openedAt } = event
      return { type: 'PutAccount', account: { accountId, name, tier, status: 'active', openedAt } }
    }
    case 'TierChanged':
      return { type: 'SetTier', accountId, tier: event.tier, at }
    case 'AccountSuspended':
      return { type: 'SetStatus', accountId, status: 'suspended', at }
    case 'AccountReinstated':
      return { type: 'SetStatus', accountId, status: 'active', at }
    case 'AccountClosed':
      return { type: 'SetStatus', accountId, status: 'closed', at }
    case 'AccountErased':
      return { type: 'EraseAccount', accountId, tier: event.tier, openedAt: event.openedAt, at }
    case 'ApiKeyIssued': {
      const { keyId, label, digest, capabilities, expiresAt, at: issuedAt } = event
      const key = { keyId, accountId, label, capabilities, digest, expiresAt, issuedAt }
      return { type: 'PutKey', key: { ...key, previous: null, revoked: false } }
    }
    case 'ApiKeyRotated':
      return { ...event, type: 'RotateKey' }
    case 'ApiKeyRevoked':
      return { type: 'RevokeKey', keyId: event.keyId }
  }
}
