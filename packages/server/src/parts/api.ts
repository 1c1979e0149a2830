import type { Application, Dependencies } from '@medialog/application'
import { createHttpApp, startHttpServer, type Metrics } from '@medialog/http'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { listening } from '../listening.ts'
import type { Secrets } from '../secrets.ts'
import { VERSION } from '../version.ts'
import type { Part } from './part.ts'

/** What requests are answered with. */
export const apiPart = (application: Application): Part => ({
  role: 'api',
  async troubles() {
    const { status, problems } = await application.health()
    return status === 'critical' ? problems : []
  },
})

interface Listening {
  config: Config
  application: Application
  engines: Pick<Dependencies, 'staging' | 'rateLimiter' | 'clock'>
  secrets: Secrets
  metrics: Metrics
  logger: Logger
  running: AsyncDisposableStack
}

/** Takes requests from here on; those under way are answered before `running` goes on ending. Answers its address. */
export async function listenForRequests({
  config,
  application,
  engines: { staging, rateLimiter, clock },
  secrets: { operatorToken, positionSecret },
  metrics,
  logger,
  running,
}: Listening): Promise<string> {
  const app = createHttpApp({
    application,
    staging,
    rateLimiter,
    tierLimits: config.rateLimits,
    followerLimits: config.followers,
    positionSecret,
    operatorToken,
    logger,
    clock,
    version: VERSION,
    environment: config.environment,
    metrics,
    metricsToken: operatorToken,
  })
  const server = await listening('PORT', config.port, () => startHttpServer(app, config))
  running.defer(() => server.close(config.drainMs))
  return server.url
}
