export { createHttpApp, type HttpApp } from './app.ts'
export type { FinishedRequest, HttpOptions, Logger, Metrics, Release } from './options.ts'
export { createMemoryRateLimiter, type MemoryRateLimiterOptions } from './rate-limit/memory.ts'
export { startHttpServer, type RunningHttpServer } from './server.ts'
