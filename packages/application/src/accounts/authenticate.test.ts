import { expect, test } from 'vitest'
import { InvalidApiKey } from '../core/errors.ts'
import { EngineUnavailable, type KeyRecord } from '../ports/index.ts'
import { createAuthenticate, digestOf } from './authenticate.ts'

const SECRET = 'a'.repeat(32)
const NEW_SECRET = 'b'.repeat(32)
const apiKey = (secret: string): string => `mlk_abcd1234_${secret}`

/** A read model that may lag or be away, beside a log that knows. */
function setUp() {
  const key: KeyRecord = {
    keyId: 'abcd1234',
    accountId: 'ann',
    label: 'mine',
    capabilities: ['read'],
    digest: digestOf(SECRET),
    previous: null,
    expiresAt: null,
    revoked: false,
    issuedAt: 0,
  }
  const account = { accountId: 'ann', name: 'Ann', tier: 'free', openedAt: 0 } as const
  const state = {
    now: 1_000,
    position: 1,
    isAway: false,
    reads: 0,
    key,
    status: 'active',
    logged: { ...key, status: 'active' },
  }
  const authenticate = createAuthenticate({
    clock: { now: () => state.now },
    projections: { position: () => state.position },
    accounts: {
      async key(keyId: string) {
        state.reads++
        if (state.isAway) throw new EngineUnavailable('elasticsearch', 'away')
        return keyId === key.keyId ? { key: state.key, account: { ...account, status: state.status } } : null
      },
    },
    streams: {
      load: async (_: string, __: string, select: (of: unknown) => unknown) => {
        const { digest, revoked, status } = state.logged
        const keys = new Map([[key.keyId, { digest, revoked }]])
        return { selected: select({ status, tier: 'standard', keys }) }
      },
    },
  } as never)
  return { state, authenticate }
}

test('a key is read once until something was projected, and again after a second in any case', async () => {
  const { state, authenticate } = setUp()
  for (let request = 0; request < 3; request++)
    expect(await authenticate(apiKey(SECRET))).toMatchObject({ accountId: 'ann', tier: 'free' })
  expect(state.reads).toBe(1)
  state.position = 2
  await authenticate(apiKey(SECRET))
  expect(state.reads).toBe(2)
  // Another process revoked it, and the read models report nothing.
  state.key = { ...state.key, revoked: true }
  state.now += 999
  await authenticate(apiKey(SECRET))
  state.now += 1
  await expect(authenticate(apiKey(SECRET))).rejects.toBeInstanceOf(InvalidApiKey)
})

test('a wrong secret, an unknown key and a malformed one are refused alike', async () => {
  const { authenticate } = setUp()
  for (const wrong of [apiKey(NEW_SECRET), `mlk_zzzz1234_${SECRET}`, 'nonsense', undefined])
    await expect(authenticate(wrong)).rejects.toBeInstanceOf(InvalidApiKey)
})

test('a key and the secret before its rotation hold until the moment they end', async () => {
  const { state, authenticate } = setUp()
  state.key = {
    ...state.key,
    digest: digestOf(NEW_SECRET),
    previous: { digest: digestOf(SECRET), validUntil: 2_000 },
    expiresAt: 3_000,
  }
  const holds = async (secret: string) => {
    // What was read before is forgotten.
    state.position++
    return authenticate(apiKey(secret)).then(
      () => true,
      () => false,
    )
  }
  for (const [now, old, current] of [
    [1_999, true, true],
    [2_000, false, true],
    [2_999, false, true],
    [3_000, false, false],
  ] as const) {
    state.now = now
    expect([await holds(SECRET), await holds(NEW_SECRET)], String(now)).toEqual([old, current])
  }
})

test('the key of a closed account is refused, also while the read model is unavailable', async () => {
  const { state, authenticate } = setUp()
  await authenticate(apiKey(SECRET))
  state.now += 1_000
  state.isAway = true
  state.logged = { ...state.logged, status: 'closed' }
  await expect(authenticate(apiKey(SECRET))).rejects.toBeInstanceOf(InvalidApiKey)
  state.isAway = false
  state.status = 'closed'
  await expect(authenticate(apiKey(SECRET))).rejects.toBeInstanceOf(InvalidApiKey)
})

test('reads the state of a known key from the log while the read model is unavailable', async () => {
  const { state, authenticate } = setUp()
  state.isAway = true
  await expect(authenticate(apiKey(SECRET))).rejects.toBeInstanceOf(EngineUnavailable)
  state.isAway = false
  await authenticate(apiKey(SECRET))
  state.isAway = true
  state.now += 5_000
  expect(await authenticate(apiKey(SECRET))).toMatchObject({ tier: 'standard', capabilities: ['read'] })
  await expect(authenticate(apiKey(NEW_SECRET))).rejects.toBeInstanceOf(InvalidApiKey)
  state.logged = { ...state.logged, digest: digestOf(NEW_SECRET) }
  await authenticate(apiKey(NEW_SECRET))
  // How long the old one is valid still, the log's fold does not keep.
  await expect(authenticate(apiKey(SECRET))).rejects.toBeInstanceOf(EngineUnavailable)
  state.logged = { ...state.logged, revoked: true }
  for (const secret of [SECRET, NEW_SECRET])
    await expect(authenticate(apiKey(secret))).rejects.toBeInstanceOf(InvalidApiKey)
})
