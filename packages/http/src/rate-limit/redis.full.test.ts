import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { EngineUnavailable, type RateLimitState } from '@medialog/application'
import { startProxy } from '@medialog/test/harness/proxy'
import { describeWithEngine } from '@medialog/test/engines'
import { createClient } from '@redis/client'
import { describe, expect, it } from 'vitest'
import { describeRateLimiterContract, type RateLimiterUnderTest } from './contract.ts'
import { openRedisRateLimiter } from './redis.ts'

/** On a machine with other work an answer may take its time. */
const PATIENT = { answerMs: 5_000 }
/** How much slower than the suite thinks time passes for the limiter: the suite leaves half a second. */
const SLOWER = 4

describeWithEngine('redis', 'Redis', (url) => {
  async function open(windowMs: number): Promise<RateLimiterUnderTest> {
    const limiter = await openRedisRateLimiter({ ...PATIENT, url, windowMs: windowMs * SLOWER })
    /** Keys of the test's own, whatever else is in the server. */
    const own = randomUUID()
    const asked =
      (what: 'take' | 'peek') =>
      async (key: string, limit: number): Promise<RateLimitState> => {
        const state = await limiter[what](own + key, limit)
        return { ...state, resetMs: state.resetMs / SLOWER }
      }
    return {
      limiter: { ...limiter, take: asked('take'), peek: asked('peek') },
      advance: (milliseconds) => sleep(milliseconds * SLOWER),
      close: async () => limiter.close(),
    }
  }

  describeRateLimiterContract('Redis', open)

  describe('several processes', () => {
    it('share what they count, and let no more through at once than the limit', async () => {
      const [one, other] = [
        await openRedisRateLimiter({ ...PATIENT, url }),
        await openRedisRateLimiter({ ...PATIENT, url }),
      ]
      const key = randomUUID()
      const states = await Promise.all(
        Array.from({ length: 200 }, (_, turn) => (turn % 2 === 0 ? one : other).take(key, 150)),
      )
      expect(states.filter(({ allowed }) => allowed)).toHaveLength(150)
      expect(await one.peek(key, 150)).toMatchObject({ allowed: false, remaining: 0 })
      for (const limiter of [one, other]) limiter.close()
    })

    it('go from one password to the next, one after the other', async () => {
      await using stack = new AsyncDisposableStack()
      const server = stack.adopt(await createClient({ url }).connect(), (it) => it.destroy())
      const user = stack.adopt(
        `medialog-${randomUUID()}`,
        async (name) => void (await server.aclDelUser(name)),
      )
      await server.aclSetUser(user, ['on', '>former', '~medialog:rate:*', '+@all'])
      const openWith = async (password: string) => {
        const address = Object.assign(new URL(url), { username: user, password })
        return stack.adopt(await openRedisRateLimiter({ ...PATIENT, url: address.href }), (it) => it.close())
      }
      const key = randomUUID()
      const former = await openWith('former')
      expect(await former.take(key, 3)).toMatchObject({ remaining: 2 })
      await server.aclSetUser(user, '>next')
      const next = await openWith('next')
      for (const [limiter, remaining] of [
        [former, 1],
        [next, 0],
      ] as const)
        expect(await limiter.take(key, 3)).toMatchObject({ remaining })
      await server.aclSetUser(user, '<former')
      await next.check()
      await expect((await openWith('former')).check()).rejects.toThrow(/WRONGPASS/)
    })

    it('leave nothing in the server once a window has passed', async () => {
      const limiter = await openRedisRateLimiter({ ...PATIENT, url, windowMs: 100 })
      const key = randomUUID()
      await limiter.take(key, 5)
      const client = await createClient({ url }).connect()
      await expect.poll(() => client.exists(`medialog:rate:${key}`), { timeout: 30_000 }).toBe(0)
      client.destroy()
      limiter.close()
    })
  })

  describe('a server that becomes unavailable', () => {
    for (const fault of ['cut', 'hang'] as const)
      it(`by a ${fault}: the process counts for itself, reports it, and shares again once it is back`, async () => {
        await using stack = new AsyncDisposableStack()
        const proxy = stack.adopt(await startProxy(new URL(url).host), (it) => it.cut())
        const troubles: (string | null)[] = []
        // With whatever password there is.
        const through = new URL(url)
        through.host = proxy.address
        const opened = await openRedisRateLimiter({
          url: through.href,
          answerMs: 2_000,
          onTrouble: (trouble) => void troubles.push(trouble),
        })
        const limiter = stack.adopt(opened, (it) => it.close())
        const key = randomUUID()
        for (const remaining of [1, 0]) expect(await limiter.take(key, 2)).toMatchObject({ remaining })

        await proxy[fault]()
        await expect.poll(async () => (await limiter.take(key, 2)).allowed, { timeout: 30_000 }).toBe(true)
        expect((await limiter.take(key, 2)).allowed).toBe(true)
        expect((await limiter.take(key, 2)).allowed).toBe(false)
        await expect(limiter.check()).rejects.toThrow(EngineUnavailable)
        expect(troubles).toEqual([expect.any(String)])

        await proxy.mend()
        await expect
          .poll(
            () =>
              limiter.check().then(
                () => 'back',
                () => 'away',
              ),
            { timeout: 30_000 },
          )
          .toBe('back')
        expect(troubles).toEqual([expect.any(String), null])
        await expect.poll(async () => (await limiter.peek(key, 3)).remaining, { timeout: 30_000 }).toBe(1)
      })
  })
})
