import { afterEach, expect, test } from 'vitest'
import { startHealthListener } from './health-listener.ts'
import { createMetrics } from './metrics.ts'
import type { Part } from './parts/part.ts'

let listener: Awaited<ReturnType<typeof startHealthListener>>
const troubles: Record<'worker' | 'publisher', string[]> = { worker: [], publisher: [] }
const parts = (['worker', 'publisher'] as const).map((role): Part => ({
  role,
  troubles: async () => troubles[role],
}))
afterEach(async () => {
  troubles.publisher = []
  await listener.close()
})

async function start() {
  const metrics = createMetrics({ parts, eventStore: { trouble: () => null }, engines: {} })
  listener = await startHealthListener({ host: '127.0.0.1', metricsPort: 0 }, parts, metrics)
  return (path: string, method = 'GET') => fetch(listener.url + path, { method })
}

test('a process is alive while it answers, and ready while all its roles do their work', async () => {
  const get = await start()
  expect((await get('/healthz')).status).toBe(200)
  const ready = await get('/readyz')
  expect(ready.status).toBe(200)
  expect(await ready.json()).toEqual({
    status: 'ready',
    roles: { worker: { ready: true, troubles: [] }, publisher: { ready: true, troubles: [] } },
  })
  troubles.publisher = ['publisher: no broker answers']
  const refused = await get('/readyz')
  expect(refused.status).toBe(503)
  expect(await refused.json()).toMatchObject({
    status: 'not ready',
    roles: {
      worker: { ready: true },
      publisher: { ready: false, troubles: ['publisher: no broker answers'] },
    },
  })
  expect((await get('/healthz')).status).toBe(200)
  const text = await (await get('/metrics')).text()
  expect(text).toContain('medialog_ready{role="worker"} 1')
  expect(text).toContain('medialog_ready{role="publisher"} 0')
  expect(text).toContain('medialog_log_writable 1')
})

test('nothing else is served there', async () => {
  const get = await start()
  for (const path of ['/', '/v1/status', '/metrics/', '/__proto__', '/healthz?x'])
    expect((await get(path)).status).toBe(404)
  expect((await get('/metrics', 'POST')).status).toBe(404)
})
