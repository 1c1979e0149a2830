import { ERASED_ACCOUNT_NAME, type Accounts } from '@medialog/application/ports'
import type { AccountEvent } from '@medialog/domain'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { recorderOf, type ProjectedEngine, type ProjectedEngineFactory } from './projected.ts'

const ANN = '00000000-0000-4000-8000-00000000000a'
const BEN = '00000000-0000-4000-8000-00000000000b'
const ALL = { offset: 0, limit: 10 }
const OLD = 'a'.repeat(64)
const NEW = 'b'.repeat(64)

const opened = (accountId: string, name: string, at = 1_000): AccountEvent => ({
  type: 'AccountOpened',
  accountId,
  name,
  tier: 'standard',
  at,
})
const issued = (keyId: string): AccountEvent => ({
  type: 'ApiKeyIssued',
  keyId,
  label: 'mine',
  digest: OLD,
  capabilities: ['read', 'delete'],
  expiresAt: 9_000,
  at: 2_000,
})

/** What every Accounts read model must do. `factory` is called once a test, for an empty one. */
export function describeAccountsContract(name: string, factory: ProjectedEngineFactory<Accounts>): void {
  describe(`accounts: ${name}`, () => {
    let engine: ProjectedEngine<Accounts>
    let log: ReturnType<typeof recorderOf>
    beforeEach(async () => {
      engine = await factory()
      log = recorderOf(engine)
    })
    afterEach(() => engine.close())

    test('has no account at first', async () => {
      expect(await engine.port.list(ALL)).toEqual({ accounts: [], total: 0 })
      expect(await engine.port.account(ANN)).toBeNull()
      expect(await engine.port.key('abcd1234')).toBeNull()
      expect(await engine.port.keys(ANN)).toEqual([])
      expect(await engine.port.position()).toBe(0)
    })

    test('accounts come in the order in which they were opened, in the state they are in', async () => {
      await log.record('account', BEN, opened(BEN, 'Ben', 3_000))
      await log.record('account', ANN, opened(ANN, 'Ann', 2_000), { type: 'TierChanged', tier: 'free' })
      const position = await log.record('account', BEN, { type: 'AccountSuspended' })
      const ben = { accountId: BEN, name: 'Ben', tier: 'standard', status: 'suspended', openedAt: 3_000 }
      const ann = { accountId: ANN, name: 'Ann', tier: 'free', status: 'active', openedAt: 2_000 }
      expect(await engine.port.list(ALL)).toEqual({ accounts: [ben, ann], total: 2 })
      expect(await engine.port.list({ offset: 0, limit: 1 })).toEqual({ accounts: [ben], total: 2 })
      expect(await engine.port.list({ offset: 1, limit: 1 })).toEqual({ accounts: [ann], total: 2 })
      expect(await engine.port.list({ offset: 2, limit: 1 })).toEqual({ accounts: [], total: 2 })
      expect(await engine.port.position()).toBe(position)
      await log.record('account', BEN, { type: 'AccountReinstated' })
      expect(await engine.port.account(BEN)).toMatchObject({ status: 'active' })
      await log.record('account', BEN, { type: 'AccountClosed' })
      expect(await engine.port.account(BEN)).toMatchObject({ status: 'closed' })
    })

    test('an account is known as it was at any time', async () => {
      const changes: [number, AccountEvent][] = [
        [2_000, { type: 'TierChanged', tier: 'free' }],
        [3_000, { type: 'AccountSuspended' }],
        // A clock that was put back: order in the log is order in time.
        [2_500, { type: 'TierChanged', tier: 'enterprise' }],
        [4_000, { type: 'AccountReinstated' }],
      ]
      await log.record('account', BEN, opened(BEN, 'Ben', 500))
      await log.record('account', ANN, opened(ANN, 'Ann'))
      for (const [at, event] of changes) await log.recordAt(at, 'account', ANN, event)
      const then = async (asOf: number) => {
        const account = await engine.port.account(ANN, asOf)
        return account && [account.name, account.tier, account.status, account.openedAt]
      }
      expect(await Promise.all([999, 1_000, 2_000, 2_999, 3_000, 4_000].map(then))).toEqual([
        null,
        ['Ann', 'standard', 'active', 1_000],
        ['Ann', 'free', 'active', 1_000],
        ['Ann', 'free', 'active', 1_000],
        ['Ann', 'enterprise', 'suspended', 1_000],
        ['Ann', 'enterprise', 'active', 1_000],
      ])
      expect(await engine.port.account(BEN, 9_000)).toMatchObject({ tier: 'standard', status: 'active' })
      expect(await engine.port.account(BEN, 499)).toBeNull()
    })

    test('a key comes with its account, whatever happened to it', async () => {
      await log.record('account', ANN, opened(ANN, 'Ann'), issued('abcd1234'), issued('efgh5678'))
      const key = {
        keyId: 'abcd1234',
        accountId: ANN,
        label: 'mine',
        capabilities: ['read', 'delete'],
        digest: OLD,
        previous: null,
        expiresAt: 9_000,
        revoked: false,
        issuedAt: 2_000,
      }
      const account = { accountId: ANN, name: 'Ann', tier: 'standard', status: 'active', openedAt: 1_000 }
      expect(await engine.port.key('abcd1234')).toEqual({ key, account })
      const rotated = { keyId: 'abcd1234', digest: NEW, oldValidUntil: 5_000 }
      await log.recordTwice(['account', ANN, { type: 'ApiKeyRotated', ...rotated }])
      const changed = { ...key, digest: NEW, previous: { digest: OLD, validUntil: 5_000 } }
      expect(await engine.port.key('abcd1234')).toEqual({ key: changed, account })
      await log.record('account', ANN, { type: 'ApiKeyRevoked', keyId: 'abcd1234' })
      expect(await engine.port.keys(ANN)).toEqual([
        { ...changed, revoked: true },
        { ...key, keyId: 'efgh5678' },
      ])
    })

    test('of an erased account neither its name nor its keys are left', async () => {
      await log.record('account', BEN, opened(BEN, 'Ben'), issued('efgh5678'))
      await log.record('account', ANN, opened(ANN, 'Ann'), issued('abcd1234'))
      await log.record(
        'account',
        ANN,
        { type: 'AccountClosed' },
        { type: 'AccountErased', tier: 'standard', openedAt: 1_000 },
      )
      expect(await engine.port.account(ANN)).toMatchObject({ name: ERASED_ACCOUNT_NAME, status: 'closed' })
      expect(await engine.port.keys(ANN)).toEqual([])
      expect(await engine.port.key('abcd1234')).toBeNull()
      expect(await engine.port.keys(BEN)).toHaveLength(1)
    })

    test('an account shows its own keys only', async () => {
      await log.record('account', ANN, opened(ANN, 'Ann'), issued('abcd1234'))
      await log.record('account', BEN, opened(BEN, 'Ben'), issued('efgh5678'))
      expect((await engine.port.keys(BEN)).map(({ keyId }) => keyId)).toEqual(['efgh5678'])
      expect(await engine.port.key('abcd1234')).toMatchObject({ account: { accountId: ANN } })
    })
  })
}
