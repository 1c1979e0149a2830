import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { describeRateLimiterContract } from './contract.ts'
import { createMemoryRateLimiter } from './memory.ts'

let clock: { time: number }
const open = (windowMs: number, maxKeys?: number) => {
  clock = { time: 1_000_000 }
  return createMemoryRateLimiter({ now: () => clock.time, windowMs, ...(maxKeys && { maxKeys }) })
}

describeRateLimiterContract('Memory', async (windowMs) => ({
  limiter: open(windowMs),
  advance: async (milliseconds) => void (clock.time += milliseconds),
  close: async () => {},
}))

describe('the sliding window', () => {
  it('never lets more than the limit into any window, and refuses only when it is full', async () => {
    const steps = fc.array(
      fc.record({ wait: fc.integer({ min: 0, max: 60 }), limit: fc.integer({ min: 1, max: 20 }) }),
      {
        maxLength: 200,
      },
    )
    await fc.assert(
      fc.asyncProperty(steps, async (steps) => {
        const limiter = open(100)
        const taken: number[] = []
        for (const { wait, limit } of steps) {
          clock.time += wait
          const within = taken.filter((time) => time > clock.time - 100).length
          const state = await limiter.take('key', limit)
          expect(state.allowed).toBe(within < limit)
          if (state.allowed) taken.push(clock.time)
          expect(state.remaining).toBe(Math.max(0, limit - within - (state.allowed ? 1 : 0)))
        }
      }),
      { numRuns: 100 },
    )
  })

  it('says exactly when the next request is allowed', async () => {
    const limiter = open(100)
    await limiter.take('key', 2)
    clock.time += 30
    await limiter.take('key', 2)
    const { resetMs } = await limiter.take('key', 2)
    expect(resetMs).toBe(70)
    clock.time += resetMs - 1
    expect((await limiter.take('key', 2)).allowed).toBe(false)
    clock.time += 1
    expect((await limiter.take('key', 2)).allowed).toBe(true)
  })

  it('ends although the time of day was set back', async () => {
    const timeOfDay = vi.spyOn(Date, 'now')
    try {
      const limiter = createMemoryRateLimiter({ windowMs: 100 })
      await limiter.take('key', 1)
      timeOfDay.mockReturnValue(0)
      await vi.waitFor(async () => expect((await limiter.take('key', 1)).allowed).toBe(true), {
        timeout: 30_000,
      })
    } finally {
      timeOfDay.mockRestore()
    }
  })

  it('never asks anybody to wait for longer than the window', async () => {
    // A moment for which (moment + 60 000) − moment is more than 60 000 in floating point.
    const now = vi.spyOn(performance, 'now').mockReturnValue(90_000.001874)
    try {
      expect((await createMemoryRateLimiter().take('key', 2)).resetMs).toBe(60_000)
    } finally {
      now.mockRestore()
    }
  })

  it('forgets the longest unused key when there are too many', async () => {
    const limiter = open(100, 2)
    await limiter.take('a', 5)
    await limiter.take('b', 5)
    await limiter.take('a', 5)
    await limiter.take('c', 5)
    expect((await limiter.peek('a', 5)).remaining).toBe(3)
    expect((await limiter.peek('b', 5)).remaining).toBe(5)
  })
})
