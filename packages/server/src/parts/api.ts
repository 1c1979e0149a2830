import type { Application } from '@medialog/application'
import { readConsole } from '@medialog/console'
import { createHttpApp, startHttpServer, type Metrics } from '@medialog/http'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { listening } from '../listening.ts'
import type { Secrets } from '../secrets.ts'
import type { Engines } from '../engines.ts'
import type { Part } from './part.ts'
import { RELEASE } from '../release.ts'

/** Connections that are refused come in thousands. */
const SAY_AGAIN_MS = 60_000

/** What requests are answered with. */
export const apiPart = (application: Application): Part => ({
  role: 'api',
  async troubles() {
    const { status, problems } = await application.status.health()
    return status === 'critical' ? problems : []
  },
})

interface Listening {
  config: Config
  application: Application
  engines: Pick<Engines, 'staging' | 'rateLimiter' | 'clock' | 'sandbox'>
  secrets: Secrets
  metrics: Metrics
  logger: Logger
  running: AsyncDisposableStack
}

/**
 * Takes requests from here on; those under way are answered before `running` goes on ending. Answers its address, and
 * the one where the operator is answered too.
 */
export async function listenForRequests({
  config,
  application,
  engines: { staging, rateLimiter, clock, sandbox },
  secrets: { operatorToken, positionSecrets },
  metrics,
  logger,
  running,
}: Listening): Promise<{ url: string; adminUrl: string }> {
  let adminPort: number | null = null
  const app = createHttpApp({
    application,
    staging,
    rateLimiter,
    tierLimits: config.rateLimits,
    followerLimits: config.followers,
    positionSecrets,
    operatorToken,
    servesAdmin: (port) => adminPort === null || port === adminPort,
    corsOrigins: config.corsOrigins,
    readConsole,
    logger,
    clock,
    release: RELEASE,
    environment: config.environment,
    sandbox,
    metrics,
    metricsToken: operatorToken,
  })
  let saidAt = -Infinity
  const onRefused = (): void => {
    metrics.connectionRefused()
    if (performance.now() - saidAt < SAY_AGAIN_MS) return
    saidAt = performance.now()
    logger.error('connections are refused: there are as many as the limit on open files allows (ulimit -n)')
  }
  const listen = async (setting: string, port: number, held: number | null) => {
    const server = await listening(setting, port, () =>
      startHttpServer(app, { host: config.host, port, held, onRefused }),
    )
    running.defer(() => server.close(config.drainMs))
    return server
  }
  const { http, admin: heldAdmin } = config.heldSockets
  const hasAdmin = config.adminPort !== null || heldAdmin !== null
  const admin = hasAdmin ? await listen('ADMIN_PORT', config.adminPort ?? 0, heldAdmin) : null
  adminPort = admin?.address.port ?? null
  const { url } = await listen('PORT', config.port, http)
  return { url, adminUrl: admin?.url ?? url }
}
