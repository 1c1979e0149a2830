import { fold } from '@medialog/kernel'
import { describe, expect, test } from 'vitest'
import {
  account,
  AccountIsClosed,
  AccountNotFound,
  ApiKeyNotFound,
  type AccountCommand,
  type AccountEvent,
} from './account.ts'
import { given } from './testing/given-when-then.ts'

const opening = { accountId: 'a', name: 'Ada', tier: 'standard', at: 1 } as const
const opened: AccountEvent = { type: 'AccountOpened', ...opening }
const suspended: AccountEvent = { type: 'AccountSuspended' }
const reinstated: AccountEvent = { type: 'AccountReinstated' }
const closed: AccountEvent = { type: 'AccountClosed' }
const key = {
  keyId: 'k1',
  label: 'laptop',
  digest: 'd1',
  capabilities: ['read' as const, 'write' as const],
  expiresAt: null,
  at: 2,
}
const issued: AccountEvent = { type: 'ApiKeyIssued', ...key }
const rotated: AccountEvent = { type: 'ApiKeyRotated', keyId: 'k1', digest: 'd2', oldValidUntil: 9 }
const revoked: AccountEvent = { type: 'ApiKeyRevoked', keyId: 'k1' }

const open: AccountCommand = { type: 'OpenAccount', ...opening }
const upgrade: AccountCommand = { type: 'ChangeTier', tier: 'enterprise' }
const suspend: AccountCommand = { type: 'SuspendAccount' }
const reinstate: AccountCommand = { type: 'ReinstateAccount' }
const close: AccountCommand = { type: 'CloseAccount' }
const issue: AccountCommand = { type: 'IssueApiKey', ...key }
const rotate: AccountCommand = { type: 'RotateApiKey', keyId: 'k1', digest: 'd2', at: 3, oldValidUntil: 9 }
const revoke: AccountCommand = { type: 'RevokeApiKey', keyId: 'k1' }
const allButOpen = [upgrade, suspend, reinstate, close, issue, rotate, revoke]

describe('an account', () => {
  test('is opened once', () => {
    given(account).when(open).then(opened)
    given(account, opened).when(open).thenNothing()
    given(account, opened, closed).when(open).thenNothing()
  })

  test.each(allButOpen)('that is not there refuses $type', (command) => {
    given(account).when(command).thenFails(AccountNotFound, { code: 'ACCOUNT_NOT_FOUND' })
  })

  test('changes its tier to another one', () => {
    given(account, opened).when(upgrade).then({ type: 'TierChanged', tier: 'enterprise' })
    given(account, opened, { type: 'TierChanged', tier: 'enterprise' }).when(upgrade).thenNothing()
    given(account, opened).when({ type: 'ChangeTier', tier: 'standard' }).thenNothing()
    given(account, opened, suspended).when(upgrade).then({ type: 'TierChanged', tier: 'enterprise' })
  })

  test('is suspended and reinstated', () => {
    given(account, opened).when(suspend).then(suspended)
    given(account, opened, suspended).when(suspend).thenNothing()
    given(account, opened, suspended).when(reinstate).then(reinstated)
    given(account, opened).when(reinstate).thenNothing()
    given(account, opened, suspended, reinstated).when(suspend).then(suspended)
    expect(fold(account, [opened, suspended, reinstated])).toEqual(fold(account, [opened]))
  })

  test('is closed permanently', () => {
    given(account, opened).when(close).then(closed)
    given(account, opened, suspended).when(close).then(closed)
    given(account, opened, closed).when(close).thenNothing()
  })

  test('is erased once it is closed, and stays closed', () => {
    const erase: AccountCommand = { type: 'EraseAccount' }
    const erased: AccountEvent = { type: 'AccountErased', tier: 'standard', openedAt: 1 }
    given(account, opened).when(erase).thenNothing()
    given(account, opened, issued, closed)
      .when(erase)
      .then({ ...erased, openedAt: opened.at, tier: opened.tier })
    given(account, erased).when(erase).thenNothing()
    given(account, erased).when(issue).thenFails(AccountIsClosed, { code: 'ACCOUNT_CLOSED' })
  })

  test.each(allButOpen.filter((command) => command !== close))('once closed refuses $type', (command) => {
    given(account, opened, issued, closed)
      .when(command)
      .thenFails(AccountIsClosed, { code: 'ACCOUNT_CLOSED' })
  })
})

describe('an API key', () => {
  test('is issued once, to a suspended account too', () => {
    given(account, opened).when(issue).then(issued)
    given(account, opened, suspended).when(issue).then(issued)
    given(account, opened, issued).when(issue).thenNothing()
    given(account, opened, issued, revoked).when(issue).thenNothing()
  })

  test('is rotated to another secret, as often as asked', () => {
    given(account, opened, issued).when(rotate).then(rotated)
    given(account, opened, issued, rotated).when(rotate).thenNothing()
    given(account, opened, issued, rotated)
      .when({ type: 'RotateApiKey', keyId: 'k1', digest: 'd3', at: 4, oldValidUntil: 4 })
      .then({ type: 'ApiKeyRotated', keyId: 'k1', digest: 'd3', oldValidUntil: 4 })
  })

  test('is revoked once, rotated or not', () => {
    given(account, opened, issued).when(revoke).then(revoked)
    given(account, opened, issued, rotated).when(revoke).then(revoked)
    given(account, opened, issued, revoked).when(revoke).thenNothing()
  })

  test('that is unknown or revoked cannot be rotated, one that is unknown cannot be revoked', () => {
    const unknown = { code: 'KEY_NOT_FOUND', details: { key_id: 'k1' } }
    given(account, opened).when(rotate).thenFails(ApiKeyNotFound, unknown)
    given(account, opened, issued, revoked).when(rotate).thenFails(ApiKeyNotFound, unknown)
    given(account, opened).when(revoke).thenFails(ApiKeyNotFound, unknown)
  })

  test('leaves the other keys alone', () => {
    const other: AccountEvent = { type: 'ApiKeyIssued', ...key, keyId: 'k2' }
    const { keys } = fold(account, [opened, issued, other, rotated, revoked])
    expect(keys).toStrictEqual(
      new Map([
        ['k1', { digest: 'd2', revoked: true }],
        ['k2', { digest: 'd1', revoked: false }],
      ]),
    )
  })
})
