import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refusal, startEdge, type Edge } from './testing/edge.ts'

const APP = 'https://app.example.com'
const PREFLIGHT = {
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'x-api-key,idempotency-key,content-type',
}

describe('pages of an origin that is named', () => {
  let edge: Edge
  beforeAll(async () => {
    edge = await startEdge({ corsOrigins: [APP, 'http://localhost:3000'] })
  })
  afterAll(() => edge[Symbol.asyncDispose]())

  test('may ask with every header, and read those that matter', async () => {
    const asked = await edge.fetch('/v1/media', {
      method: 'OPTIONS',
      key: null,
      headers: { origin: APP, ...PREFLIGHT },
    })
    expect(asked.status).toBe(204)
    expect(asked.headers.get('access-control-allow-origin')).toBe(APP)
    expect(asked.headers.get('access-control-allow-headers')).toBe(
      PREFLIGHT['access-control-request-headers'],
    )
    expect(asked.headers.get('access-control-allow-methods')).toContain('DELETE')
    const answered = await edge.fetch('/v1/media', { headers: { origin: APP } })
    expect(answered.headers.get('access-control-allow-origin')).toBe(APP)
    expect(answered.headers.get('access-control-expose-headers')).toContain('X-Position')
    expect(answered.headers.get('vary')).toContain('Origin')
    expect(answered.headers.has('access-control-allow-credentials')).toBe(false)
  })

  test('may read refusals, too', async () => {
    const answered = await edge.fetch('/v1/media', { key: null, headers: { origin: APP } })
    expect(answered.status).toBe(401)
    expect(answered.headers.get('access-control-allow-origin')).toBe(APP)
  })

  test.each(['https://app.example.com.evil.example', 'http://app.example.com', 'null'])(
    'but those of %s may not',
    async (origin) => {
      const answered = await edge.fetch('/v1/media', { headers: { origin } })
      expect(answered.headers.has('access-control-allow-origin')).toBe(false)
      const asked = await edge.fetch('/v1/media', { method: 'OPTIONS', headers: { origin, ...PREFLIGHT } })
      expect(await refusal(asked)).toMatchObject({ status: 405 })
    },
  )
})

test('the operator’s side answers no page of another origin', async () => {
  await using edge = await startEdge({ corsOrigins: ['*'] })
  const headers = { origin: APP, ...PREFLIGHT }
  for (const path of ['/admin/accounts', '/v1x', '/docs']) {
    const asked = await edge.fetch(path, { method: 'OPTIONS', key: null, headers })
    expect([path, asked.headers.has('access-control-allow-origin')]).toEqual([path, false])
  }
  const called = await edge.fetch('/mcp', { method: 'OPTIONS', key: null, headers })
  expect(called.headers.get('access-control-allow-origin')).toBe('*')
})

test('with * every page may ask', async () => {
  await using edge = await startEdge({ corsOrigins: ['*'] })
  const answered = await edge.fetch('/v1/media', { headers: { origin: 'https://any.example' } })
  expect(answered.headers.get('access-control-allow-origin')).toBe('*')
})

test('unless any is named none may', async () => {
  await using edge = await startEdge()
  const answered = await edge.fetch('/v1/media', { headers: { origin: APP } })
  expect(answered.status).toBe(200)
  expect(answered.headers.has('access-control-allow-origin')).toBe(false)
})
