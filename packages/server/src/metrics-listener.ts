import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Config } from './config.ts'
import { listening } from './listening.ts'
import type { Metrics } from './metrics.ts'

/** `/metrics` on a port of its own, for scrapers inside the network: no token, nothing else is served. */
export async function startMetricsListener(
  { host, metricsPort }: Config,
  metrics: Metrics,
): Promise<{ close(): Promise<void> }> {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    metrics.render().then(
      ({ contentType, body }) => response.writeHead(200, { 'content-type': contentType }).end(body),
      () => response.writeHead(500).end(),
    )
  })
  await listening('METRICS_PORT', metricsPort ?? 0, async () => {
    server.listen(metricsPort ?? 0, host)
    await once(server, 'listening')
  })
  return {
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
