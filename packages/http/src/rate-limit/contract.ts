import type { RateLimiter } from '@medialog/application'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

export interface RateLimiterUnderTest {
  limiter: RateLimiter
  /** Lets so much time pass for the limiter: by a clock of the test's own, or by waiting. */
  advance(milliseconds: number): Promise<void>
  close(): Promise<void>
}

/** What every rate limiter must do; the factory is given the window's length in milliseconds. */
export function describeRateLimiterContract(
  name: string,
  open: (windowMs: number) => Promise<RateLimiterUnderTest>,
): void {
  const WINDOW = 1000
  describe(`${name} as a rate limiter`, () => {
    let test: RateLimiterUnderTest
    beforeEach(async () => {
      test = await open(WINDOW)
    })
    afterEach(() => test.close())

    it('allows as many as the limit says, then refuses, and counts each key alone', async () => {
      const { limiter } = test
      for (const remaining of [2, 1, 0])
        expect(await limiter.take('a', 3)).toMatchObject({ allowed: true, limit: 3, remaining })
      expect(await limiter.take('a', 3)).toMatchObject({ allowed: false, limit: 3, remaining: 0 })
      expect(await limiter.take('b', 3)).toMatchObject({ allowed: true, remaining: 2 })
    })

    it('lets the window slide: each request counts until it is a window old', async () => {
      const { limiter } = test
      await limiter.take('a', 2)
      await test.advance(WINDOW / 2)
      await limiter.take('a', 2)
      const refused = await limiter.take('a', 2)
      expect(refused.allowed).toBe(false)
      expect(refused.resetMs).toBeGreaterThan(0)
      expect(refused.resetMs).toBeLessThanOrEqual(WINDOW / 2)
      await test.advance(WINDOW / 2 + 1)
      expect(await limiter.take('a', 2)).toMatchObject({ allowed: true, remaining: 0 })
      expect((await limiter.take('a', 2)).allowed).toBe(false)
      await test.advance(WINDOW + 1)
      expect(await limiter.peek('a', 2)).toMatchObject({ allowed: true, remaining: 2, resetMs: 0 })
    })

    it('does not count what it refused', async () => {
      const { limiter } = test
      await limiter.take('a', 1)
      for (let tries = 0; tries < 5; tries++) await limiter.take('a', 1)
      await test.advance(WINDOW + 1)
      expect((await limiter.take('a', 1)).allowed).toBe(true)
    })

    it('peeks without taking', async () => {
      const { limiter } = test
      expect(await limiter.peek('a', 1)).toMatchObject({ allowed: true, remaining: 1, resetMs: 0 })
      await limiter.take('a', 1)
      const full = await limiter.peek('a', 1)
      expect(full).toMatchObject({ allowed: false, remaining: 0 })
      expect(await limiter.peek('a', 2)).toMatchObject({ allowed: true, remaining: 1 })
    })

    it('says that it counts', async () => {
      await expect(test.limiter.check()).resolves.toBeUndefined()
    })

    it('follows a limit that changes', async () => {
      const { limiter } = test
      for (let tries = 0; tries < 3; tries++) await limiter.take('a', 3)
      expect(await limiter.take('a', 1)).toMatchObject({ allowed: false, limit: 1, remaining: 0 })
      expect(await limiter.take('a', 5)).toMatchObject({ allowed: true, limit: 5, remaining: 1 })
    })
  })
}
