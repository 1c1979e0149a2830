import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Metrics } from '@medialog/http'
import { boundUrl } from '@medialog/http/bound-url'
import type { Config } from './config.ts'
import { listening } from './listening.ts'
import type { Part } from './parts/part.ts'
import { RELEASE } from './release.ts'

interface Answer {
  status?: number
  contentType?: string
  body: string
}

/**
 * `/healthz`, `/readyz` and `/metrics` on a port of their own, for those inside the network: no token, nothing else is
 * served. Ready is a process all of whose roles do their work.
 */
export async function startHealthListener(
  { host, metricsPort }: Pick<Config, 'host' | 'metricsPort'>,
  parts: readonly Part[],
  metrics: Metrics,
): Promise<{ url: string; close(): Promise<void> }> {
  const answers: ReadonlyMap<string, () => Promise<Answer>> = new Map(
    Object.entries<() => Promise<Answer>>({
      '/healthz': async () => json({ status: 'ok', software_version: RELEASE.version }),
      '/readyz': () => readiness(parts),
      '/metrics': () => metrics.render(),
    }),
  )
  const server = createServer((request, response) => {
    const answer = answers.get(request.url ?? '')
    if (!answer || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(404).end()
      return
    }
    answer().then(
      ({ status = 200, contentType = 'application/json', body }) =>
        response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' }).end(body),
      () => response.writeHead(500).end(),
    )
  })
  await listening('METRICS_PORT', metricsPort ?? 0, async () => {
    server.listen(metricsPort ?? 0, host)
    await once(server, 'listening')
  })
  return {
    url: boundUrl(server.address() as AddressInfo),
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

const json = (data: unknown, status = 200): Answer => ({ status, body: JSON.stringify(data) })

async function readiness(parts: readonly Part[]): Promise<Answer> {
  const troubles = await Promise.all(parts.map((part) => part.troubles()))
  const roles = Object.fromEntries(
    parts.map(({ role }, index) => [
      role,
      { ready: troubles[index]!.length === 0, troubles: troubles[index] },
    ]),
  )
  const isReady = troubles.every((of) => of.length === 0)
  return json({ status: isReady ? 'ready' : 'not ready', roles }, isReady ? 200 : 503)
}
