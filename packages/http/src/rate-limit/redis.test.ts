import { expect, test } from 'vitest'
import { openRedisRateLimiter } from './redis.ts'

test('a limiter without its server starts, and counts for itself', async () => {
  const limiter = await openRedisRateLimiter({ url: 'redis://127.0.0.1:1' })
  expect(await limiter.take('a', 1)).toMatchObject({ allowed: true, remaining: 0 })
  expect(await limiter.take('a', 1)).toMatchObject({ allowed: false })
  await expect(limiter.check()).rejects.toThrow('each process counts for itself')
  limiter.close()
})
