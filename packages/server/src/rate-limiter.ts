import type { RateLimiter } from '@medialog/application'
import { createMemoryRateLimiter } from '@medialog/http'
import type { Logger } from 'pino'
import type { RedisSettings } from './shared-state-settings.ts'

/** Counts requests in Redis where one is configured, whose client is loaded only then; else in this process. */
export async function openConfiguredRateLimiter(
  redis: RedisSettings | null,
  logger: Logger,
): Promise<RateLimiter & { close(): void }> {
  if (redis === null) return { ...createMemoryRateLimiter(), close: () => undefined }
  const { openRedisRateLimiter } = await import('@medialog/http/rate-limit/redis')
  return openRedisRateLimiter({
    ...redis,
    onTrouble: (trouble) =>
      trouble === null
        ? logger.info('requests are counted for all processes again')
        : logger.warn({ trouble }, 'requests are counted by this process alone'),
  })
}
