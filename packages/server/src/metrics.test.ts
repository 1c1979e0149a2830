import { expect, test } from 'vitest'
import { createMetrics } from './metrics.ts'

const LABELS = 'method="GET",route="/v1/media/{media_id}"'

test.each([0, 1, 99, 100, 101, 250])(
  'each of %s requests is counted, and how long it took, whenever the metrics are read',
  async (count) => {
    const metrics = createMetrics({ parts: [], eventStore: { trouble: () => null }, engines: {} })
    const request = { method: 'GET', route: '/v1/media/{media_id}', seconds: 0.25 }
    for (let n = 0; n < count; n++) metrics.requestFinished({ ...request, status: n % 2 === 0 ? 200 : 404 })
    for (const reading of ['first', 'second']) {
      const { body } = await metrics.render()
      const valueOf = (name: string): number => Number(body.split(`\n${name} `)[1]?.split('\n')[0] ?? 0)
      const [found, missed] = [200, 404].map((status) =>
        valueOf(`medialog_http_requests_total{${LABELS},status="${status}"}`),
      )
      expect([found, missed], reading).toEqual([Math.ceil(count / 2), Math.floor(count / 2)])
      expect(valueOf(`medialog_http_request_seconds_count{${LABELS}}`)).toBe(count)
      expect(valueOf(`medialog_http_request_seconds_sum{${LABELS}}`)).toBe(count * 0.25)
      expect(valueOf(`medialog_http_request_seconds_bucket{le="0.1",${LABELS}}`)).toBe(0)
    }
  },
)

test('each engine that is configured is named, with whether it answers', async () => {
  const answers = async () => undefined
  const engines = { kafka: answers, redis: () => Promise.reject(new Error('connection refused')) }
  const { body } = await createMetrics({ parts: [], eventStore: { trouble: () => null }, engines }).render()
  expect(body).toContain('\nmedialog_engine_available{engine="kafka"} 1\n')
  expect(body).toContain('\nmedialog_engine_available{engine="redis"} 0\n')
})

test('room on a disk that does not answer is not known, rather than none', async () => {
  const rooms = [null, { free: 9e9, reserved: 1e8 }, null]
  const health = async () =>
    ({ components: {}, limitations: {}, providers: [], pendingErasures: 0, room: rooms.shift() }) as never
  const metrics = createMetrics({ parts: [], eventStore: { trouble: () => null }, engines: {}, health })
  const shown = async () =>
    Array.from((await metrics.render()).body.matchAll(/^medialog_disk_\w+ (.*)$/gm), ([, value]) => value)
  expect(await shown()).toEqual([])
  expect(await shown()).toEqual(['9000000000', '100000000'])
  expect(await shown()).toEqual([])
})

test('of a process that answers requests it is said by what it is limited', async () => {
  const limited = async () =>
    ({
      components: {},
      pendingErasures: 0,
      limitations: { clock: 'changes are refused' },
      providers: [],
      readModels: [],
    }) as never
  const metrics = createMetrics({
    parts: [],
    eventStore: { trouble: () => null },
    engines: {},
    health: limited,
  })
  const { body } = await metrics.render()
  const said = Array.from(body.matchAll(/^medialog_limited\{by="(.*)"\} (.*)$/gm), ([, by, value]) => [
    by,
    value,
  ])
  expect(Object.fromEntries(said)).toEqual({ reading: '0', workers: '0', disk: '0', clock: '1', damage: '0' })
})
