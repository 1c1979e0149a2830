import { describe, expect, test } from 'vitest'
import { ENRICHED, extractionOf, offlineEnricher } from './testing/offline.ts'
import { useServer } from './testing/opened.ts'

const it = useServer()

/** Any use would do: one call is one request. */
function enriching(settings = {}, rest = { initialDelay: 50, maxDelay: 50 }) {
  const providers = it.open('enrichment', settings, { rest })
  const enricher = providers.enriching(offlineEnricher())
  return {
    status: () => providers.status()[0]!,
    enrich: async (signal?: AbortSignal, accountId?: string): Promise<string> => {
      const { warnings, model } = await enricher.enrich(extractionOf('words'), 'a.txt', { signal, accountId })
      return warnings?.[0] ?? model
    },
  }
}
const WRITTEN = `compatible:test-1 + ${ENRICHED.model}`

describe('repeating', () => {
  test.each([
    ['500', { status: 500 }],
    ['503', { status: 503 }],
    ['429', { status: 429 }],
    ['a cut answer', 'cut'],
  ] as const)('%s is tried again', async (_, fault) => {
    it.server.faults.push(fault)
    const { enrich, status } = enriching({ retries: 1 })
    expect(await enrich()).toBe(WRITTEN)
    expect(it.server.requests).toHaveLength(2)
    expect(status()).toMatchObject({
      trouble: null,
      calls: { succeeded: 1, failed: 1, refused: 0, tokens: fault === 'cut' ? expect.any(Number) : 100 },
    })
  })

  test('a pause that is asked for is kept, a long one not waited for', async () => {
    it.server.faults.push({ status: 429, retryAfter: '2' })
    const { enrich } = enriching({ retries: 1 })
    const began = performance.now()
    expect(await enrich()).toBe(WRITTEN)
    expect(performance.now() - began).toBeGreaterThan(1_990)
    it.server.faults.push({ status: 429, retryAfter: '3600' })
    expect(await enrich()).toMatch(/asks for a pause/)
    const at = new Date(Date.now() + 3_600_000).toUTCString()
    it.server.faults.push({ status: 503, retryAfter: at })
    expect(await enrich()).toMatch(/failed \(503\)/)
    expect(it.server.requests).toHaveLength(4)
  })

  test.each([400, 401, 403, 404, 413, 422])('%i is not tried again', async (status) => {
    it.server.faults.push({ status })
    expect(await enriching({ retries: 3 }).enrich()).toContain(`(${status})`)
    expect(it.server.requests).toHaveLength(1)
  })

  test('a caller who leaves is not kept waiting by a pause or a hang', async () => {
    it.server.faults.push({ status: 429, retryAfter: '15' }, 'hang')
    for (const _ of [1, 2]) {
      const leaving = new AbortController()
      const work = enriching({ retries: 1 }).enrich(leaving.signal)
      const before = it.server.requests.length
      await expect.poll(() => it.server.requests.length, { timeout: 30_000 }).toBe(before + 1)
      leaving.abort(new Error('left'))
      await expect(work).rejects.toThrow('left')
    }
    await expect.poll(() => it.server.load.now, { timeout: 30_000 }).toBe(0)
  })
})

describe('the breaker', () => {
  test('opens after five faults in a row, asks nobody, tries again after a while and closes', async () => {
    it.server.alwaysFault = { status: 500 }
    const { enrich, status } = enriching({}, { initialDelay: 2_000, maxDelay: 2_000 })
    for (let calls = 0; calls < 5; calls++) expect(await enrich()).toMatch(/failed \(500\)/)
    expect(status().breaker).toBe('open')
    expect(await enrich()).toMatch(/failed repeatedly and is not asked/)
    expect(it.server.requests).toHaveLength(5)
    expect(status().calls).toEqual({ succeeded: 0, failed: 5, refused: 1, tokens: 0 })
    it.server.alwaysFault = null
    await expect.poll(() => enrich(), { timeout: 30_000, interval: 200 }).toBe(WRITTEN)
    expect(it.server.requests).toHaveLength(6)
    expect(status()).toMatchObject({ breaker: 'closed', trouble: null })
  })

  test('of one account’s faults is that account’s own; of several accounts’ it is everybody’s', async () => {
    it.server.alwaysFault = { status: 500 }
    const { enrich, status } = enriching({}, { initialDelay: 60_000, maxDelay: 60_000 })
    const as = (accountId: string) => enrich(undefined, accountId)
    for (let calls = 0; calls < 20; calls++) await as('hostile')
    expect(it.server.requests).toHaveLength(5)
    expect(await as('hostile')).toMatch(/failed repeatedly and is not asked/)
    expect(status().breaker).toBe('open')
    it.server.alwaysFault = null
    expect(await as('honest')).toBe(WRITTEN)
    it.server.alwaysFault = { status: 500 }
    for (const account of ['a', 'b', 'a', 'b', 'c']) expect(await as(account)).toMatch(/failed \(500\)/)
    expect(await as('d')).toMatch(/failed repeatedly and is not asked/)
  })

  test('is not opened by requests that are at fault themselves, by useless answers, or by who leaves', async () => {
    const { enrich, status } = enriching()
    it.server.alwaysFault = { status: 400 }
    for (let calls = 0; calls < 6; calls++) await enrich()
    it.server.alwaysFault = 'bad-json'
    for (let calls = 0; calls < 6; calls++) await enrich()
    it.server.alwaysFault = 'hang'
    for (let calls = 0; calls < 6; calls++)
      await expect(enrich(AbortSignal.timeout(20))).rejects.toMatchObject({ name: 'TimeoutError' })
    expect(status().breaker).toBe('closed')
  })
})

describe('limits', () => {
  test('no more calls at once than agreed', async () => {
    const open = Promise.withResolvers<void>()
    it.server.gate = open.promise
    const { enrich } = enriching({ callsAtOnce: 2 })
    const calls = Array.from({ length: 6 }, () => enrich())
    await expect.poll(() => it.server.load.now, { timeout: 30_000 }).toBe(2)
    open.resolve()
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 6 }, () => WRITTEN))
    expect(it.server.load.most).toBe(2)
  })

  test('no call that would pass the budget, also of calls under way together', async () => {
    const { enrich, status } = enriching({ tokensPerHour: 10_000 })
    const open = Promise.withResolvers<void>()
    it.server.gate = open.promise
    const calls = [enrich(), enrich(), enrich()]
    await expect.poll(() => it.server.load.now, { timeout: 30_000 }).toBe(2)
    open.resolve()
    const made = await Promise.all(calls)
    expect(made.filter((it) => it === WRITTEN)).toHaveLength(2)
    expect(made.filter((it) => it.includes('budget of tokens'))).toHaveLength(1)
    // What was reserved and not taken is there again.
    expect(status()).toMatchObject({ tokensLeft: 9_800, calls: { tokens: 200, refused: 1 } })
    expect(await enrich()).toBe(WRITTEN)
  })

  test('what was refused costs nothing; what may have been worked on counts in full', async () => {
    const { enrich, status } = enriching({ tokensPerHour: 10_000, timeoutMs: 300 })
    it.server.faults.push({ status: 500 })
    await enrich()
    expect(status().tokensLeft).toBe(10_000)
    it.server.faults.push('hang')
    await enrich()
    expect(status().tokensLeft).toBeLessThan(6_000)
  })

  test('who leaves while they wait for their turn is let go', async () => {
    const open = Promise.withResolvers<void>()
    it.server.gate = open.promise
    const { enrich } = enriching({ callsAtOnce: 1 })
    const first = enrich()
    await expect.poll(() => it.server.load.now, { timeout: 30_000 }).toBe(1)
    const leaving = new AbortController()
    const second = enrich(leaving.signal)
    leaving.abort(new Error('left'))
    await expect(second).rejects.toThrow('left')
    open.resolve()
    expect([await first, await enrich()]).toEqual([WRITTEN, WRITTEN])
    expect(it.server.requests).toHaveLength(2)
  })

  test('accounts take turns', async () => {
    const open = Promise.withResolvers<void>()
    it.server.gate = open.promise
    const enricher = it.open('enrichment', { callsAtOnce: 1 }).enriching(offlineEnricher())
    const names = ['ann 1', 'ann 2', 'ann 3', 'bob 1']
    const made = names.map((name) =>
      enricher.enrich(extractionOf('words'), name, { accountId: name.slice(0, 3) }),
    )
    open.resolve()
    expect((await Promise.all(made)).map(({ model }) => model)).toEqual(names.map(() => WRITTEN))
    const asked = it.server.requests.map(({ body }) => /(?:ann|bob) \d/.exec(JSON.stringify(body))![0])
    expect(asked).toEqual(['ann 1', 'bob 1', 'ann 2', 'ann 3'])
  })

  test('an account that has spent its own budget is not sent for, others are', async () => {
    const providers = it.open('enrichment', { tokensPerHour: 20_000, accountTokensPerHour: 5_000 })
    const enricher = providers.enriching(offlineEnricher())
    const warningOf = async (accountId: string): Promise<string | undefined> =>
      (await enricher.enrich(extractionOf('words'), 'a.txt', { accountId })).warnings?.[0]
    it.server.faults.push('cut')
    expect(await warningOf('ann'), 'it may have taken all that was set aside').toMatch(/broke off/)
    expect(await warningOf('ann')).toMatch(/budget of tokens/)
    expect(await warningOf('bob')).toBeUndefined()
    expect(it.server.requests).toHaveLength(2)
  })
})
