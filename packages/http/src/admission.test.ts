import { EngineUnavailable, StreamDamaged } from '@medialog/application'
import { routes, type OperationId, type RouteContract } from '@medialog/contract/http'
import { DomainError } from '@medialog/kernel'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createPositions } from './position.ts'
import { KEY, READER, refusal, startEdge, success, type Edge } from './testing/edge.ts'
import { ACCOUNT, NOW } from './testing/fixtures.ts'

let edge: Edge
beforeEach(async () => {
  edge = await startEdge()
})
afterEach(() => edge[Symbol.asyncDispose]())

const guarded = Object.values<RouteContract>(routes).filter(({ access }) => access !== 'public')
const withKey = guarded.filter(({ access }) => access !== 'operator')
const pathOf = ({ path }: RouteContract): string => path.replaceAll(/\{\w+\}/g, 'x')

describe('the order of checks', () => {
  it.each(['/v2', '/v1', '/v1/nothing', '/v1/media/', '/V1/media', '//', '/v1/media/x/y', '/%E0%A4%A'])(
    'answers 404 to %s before it looks at the key',
    async (path) => {
      const response = await edge.fetch(path, { key: null })
      expect(response.headers.has('x-position')).toBe(false)
      expect(response.headers.get('link')).toBe('</docs>; rel="help"')
      expect(await refusal(response)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    },
  )

  it.each([
    ['/v1/media', 'PATCH', 'GET, HEAD, POST'],
    ['/v1/media', 'OPTIONS', 'GET, HEAD, POST'],
    ['/v1/media/x', 'POST', 'DELETE, GET, HEAD'],
    ['/v1/media/batch', 'PUT', 'DELETE, GET, HEAD'],
    ['/v1/search', 'GET', 'POST'],
    ['/v1/usage', 'POST', 'GET, HEAD'],
    ['/admin/accounts', 'DELETE', 'GET, HEAD, POST'],
  ])('answers 405 to %s %s before it looks at the key', async (path, method, allow) => {
    const response = await edge.fetch(path, { method, key: null })
    expect(response.headers.get('allow')).toBe(allow)
    expect(await refusal(response)).toMatchObject({ status: 405, code: 'METHOD_NOT_ALLOWED' })
  })

  it.each(guarded.map((route) => [route.operationId, route] as const))(
    '%s refuses a missing and a wrong secret with 401 before anything else',
    async (_id, route) => {
      const headers = { 'x-api-key': 'mlk_wrong', 'x-operator-token': 'wrong' }
      for (const secrets of [{}, headers]) {
        const response = await fetch(`${edge.server.url}${pathOf(route)}?unknown=1`, {
          method: route.method.toUpperCase(),
          headers: secrets,
        })
        const { status, code } = await refusal(response, route.shape)
        expect(status).toBe(401)
        expect(response.headers.get('link')).toBe(`</docs#${route.operationId}>; rel="help"`)
        expect(code.toUpperCase()).toBe(
          route.access === 'operator' ? 'INVALID_OPERATOR_TOKEN' : 'INVALID_API_KEY',
        )
        expect(response.headers.has('x-position')).toBe(false)
        expect(response.headers.has('x-ratelimit-limit')).toBe(false)
      }
    },
  )

  it.each(withKey.map((route) => [route.operationId, route] as const))(
    '%s: rate before capability before shape',
    async (_id, route) => {
      const lacking = (['read', 'write', 'delete'] as const).filter((each) => each !== route.access)
      const principal = edge.fake.principals.get(KEY)!
      edge.fake.principals.set('lacking', {
        ...principal,
        keyId: 'lacking0',
        capabilities: lacking,
        tier: 'free',
      })
      const send = () =>
        fetch(`${edge.server.url}${pathOf(route)}?unknown=1`, {
          method: route.method.toUpperCase(),
          headers: { 'x-api-key': 'lacking' },
        })
      const forbidden = await send()
      expect(forbidden.headers.get('x-ratelimit-remaining')).toBe('1')
      const refused = await refusal(forbidden, route.shape)
      expect(refused).toMatchObject({ status: 403, details: { required_capability: route.access } })
      expect(refused.code.toUpperCase()).toBe('INSUFFICIENT_PERMISSIONS')
      await (await send()).text()
      const limited = await send()
      expect(limited.headers.get('retry-after')).toBe('60')
      expect(limited.headers.get('x-position')).toMatch(/^[\w-]{22}$/)
      expect(await refusal(limited, route.shape)).toMatchObject({ status: 429 })
    },
  )

  it.each(guarded.map((route) => [route.operationId, route] as const))(
    '%s refuses an unknown query parameter with 400 in its own code and shape',
    async (_id, route) => {
      const send = route.access === 'operator' ? edge.admin : edge.fetch
      const response = await send(`${pathOf(route)}?unknown=1`, { method: route.method.toUpperCase() })
      const { status, code, details } = await refusal(response, route.shape)
      expect([status, code.toUpperCase(), details.parameter]).toEqual([400, route.invalid, 'unknown'])
      expect(code).toBe(route.shape === 'A' ? route.invalid : route.invalid.toLowerCase())
    },
  )
})

describe('what fails inside', () => {
  /** A request that would succeed, for each route that reads something. */
  const methodOf: Partial<Record<OperationId, string>> = {
    listMedia: 'library.list',
    listCollections: 'library.collections',
    readUsage: 'billing.usage',
    readStatus: 'status.health',
    listAccounts: 'accounts.list',
  }

  it.each(Object.entries(methodOf))('%s does not reveal it, and logs it', async (id, method) => {
    edge.fake.faults.set(method, new Error('secret internals'))
    const route = routes[id as OperationId]
    const response = await (route.access === 'operator' ? edge.admin : edge.fetch)(route.path)
    const refused = await refusal(response, route.shape)
    expect(refused.status).toBe(500)
    expect(refused.code.toUpperCase()).toBe(route.failure)
    expect(JSON.stringify(refused)).not.toContain('secret')
    const line = edge.log.at(-1)!
    expect(line).toMatchObject({ level: 'error', fields: { request_id: refused.details.request_id } })
    expect((line.fields.err as Error).message).toBe('secret internals')
  })

  it('a move that fails inside is a STORAGE_ERROR', async () => {
    edge.fake.faults.set('library.move', new Error('broken'))
    const response = await edge.fetch('/v1/media/collections/a/items', {
      method: 'POST',
      json: { items: ['doc_x'] },
    })
    expect(await refusal(response)).toMatchObject({ status: 500, code: 'STORAGE_ERROR' })
  })

  it.each([
    ['/v1/media', 'library.list', 'A', 'SERVICE_UNAVAILABLE'],
    ['/v1/usage', 'billing.usage', 'B', 'service_unavailable'],
  ] as const)(
    '%s answers 503 with Retry-After while an engine is unavailable',
    async (path, method, shape, code) => {
      edge.fake.faults.set(method, new EngineUnavailable('sql', 'at 10.0.0.7', { retryAfterSeconds: 7 }))
      const response = await edge.fetch(path)
      expect(response.headers.get('retry-after')).toBe('7')
      const refused = await refusal(response, shape)
      expect(refused).toMatchObject({ status: 503, code })
      expect(JSON.stringify(refused)).not.toContain('10.0.0.7')
    },
  )

  it('a damaged record answers 503 without Retry-After, and does not say which', async () => {
    const damage = { stream: 'ledger-a', revision: 4, reason: 'it is not ours' } as const
    edge.fake.faults.set('library.list', new StreamDamaged(damage))
    const response = await edge.fetch('/v1/media')
    expect(response.headers.get('retry-after')).toBeNull()
    const refused = await refusal(response)
    expect(refused).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' })
    expect(JSON.stringify(refused)).not.toContain('ledger-a')
    edge.fake.faults.set('billing.usage', new StreamDamaged(damage))
    const told = (await (await edge.fetch('/v1/usage')).json()) as { suggestion?: string }
    expect(told.suggestion).toBe('Tell the operator of the service.')
  })

  it('a refusal of the domain that no route documents is a failure, not an answer', async () => {
    edge.fake.faults.set('library.list', new DomainError('CLAIM_LOST', 'internal'))
    expect(await refusal(await edge.fetch('/v1/media'))).toMatchObject({
      status: 500,
      code: 'PROCESSING_ERROR',
    })
  })

  it('answers without X-Position when the position is not known', async () => {
    edge.fake.faults.set('status.position', new Error('away'))
    const response = await edge.fetch('/v1/media')
    expect(response.status).toBe(200)
    expect(response.headers.has('x-position')).toBe(false)
  })
})

describe('headers', () => {
  it('are on every answer to a valid key', async () => {
    const response = await edge.fetch('/v1/media', { headers: { 'x-request-id': 'trace 1\u00e9-é' } })
    const { headers } = response
    expect(headers.get('x-request-id')).toMatch(/^req_[0-9a-f-]{36}$/)
    expect(headers.get('x-correlation-id')).toBe('trace1-')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(headers.get('x-ratelimit-limit')).toBe('1000000')
    expect(headers.get('x-ratelimit-remaining')).toBe('999999')
    expect(headers.get('x-ratelimit-reset')).toBe('60')
  })

  it('keep a correlation id within bounds', async () => {
    const { headers } = await edge.fetch('/v1/media', { headers: { 'x-request-id': 'x'.repeat(5000) } })
    expect(headers.get('x-correlation-id')).toHaveLength(128)
  })

  it('X-Request-Id is there when there is no key, too', async () => {
    expect((await edge.fetch('/nothing', { key: null })).headers.get('x-request-id')).toMatch(/^req_/)
  })

  it('HEAD answers like GET without the body', async () => {
    const response = await edge.fetch('/v1/media', { method: 'HEAD' })
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('')
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(100)
  })
})

describe('positions', () => {
  const positions = createPositions(['sixteen bytes or more'])

  it('of a read is the log’s head, of a command what it wrote', async () => {
    const read = await edge.fetch('/v1/media')
    expect(positions.open(ACCOUNT, read.headers.get('x-position')!)).toBe(40)
    const command = await edge.fetch('/v1/media/collections/reports', { method: 'DELETE' })
    await success(command, 'deleteCollection')
    expect(positions.open(ACCOUNT, command.headers.get('x-position')!)).toBe(45)
  })

  it('takes a key as a bearer token, too; its own header goes before', async () => {
    const asked = (headers: Record<string, string>) => edge.fetch('/v1/media', { key: null, headers })
    expect((await asked({ authorization: `Bearer ${KEY}` })).status).toBe(200)
    expect((await asked({ authorization: `Basic ${KEY}` })).status).toBe(401)
    expect((await asked({ authorization: `Bearer ${KEY}`, 'x-api-key': 'mlk_wrong' })).status).toBe(401)
  })

  it('a read waits for X-Min-Position, and answers 503 when it takes too long', async () => {
    const min = (position: number) => ({ 'x-min-position': positions.seal(ACCOUNT, position) })
    expect((await edge.fetch('/v1/media', { headers: min(50) })).status).toBe(200)
    for (const headers of [
      min(51),
      { 'x-min-position': [51, 50].map((at) => min(at)['x-min-position']).join(', ') },
    ]) {
      const late = await edge.fetch('/v1/media', { headers })
      expect(late.headers.get('retry-after')).toBe('1')
      expect(await refusal(late)).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' })
    }
  })

  it.each([
    ['another account’s', positions.seal('other', 1)],
    ['one sealed with another secret', createPositions(['another secret, long']).seal(ACCOUNT, 1)],
    ['a bare number', '40'],
    ['an empty one', ''],
    ['one of several', `${positions.seal(ACCOUNT, 1)},${positions.seal('other', 1)}`],
  ])('%s is refused with 400', async (_what, token) => {
    const headers = { 'x-min-position': token }
    expect(await refusal(await edge.fetch('/v1/media', { headers }))).toMatchObject({
      status: 400,
      code: 'INVALID_PARAMETER',
      details: { parameter: 'X-Min-Position' },
    })
    expect(await refusal(await edge.fetch('/v1/usage', { headers }), 'B')).toMatchObject({
      status: 400,
      code: 'validation_error',
    })
  })
})

describe('rates', () => {
  it('are per key, in a window that slides', async () => {
    const free = { ...edge.fake.principals.get(KEY)!, keyId: 'free0000', tier: 'free' } as const
    edge.fake.principals.set('free', free)
    const status = async (key: string) => (await edge.fetch('/v1/media', { key })).status
    expect(await status('free')).toBe(200)
    edge.clock.time = NOW + 30_000
    expect(await status('free')).toBe(200)
    expect(await status('free')).toBe(429)
    expect(await status(READER)).toBe(200)
    edge.clock.time = NOW + 60_000
    expect(await status('free')).toBe(200)
    expect(await status('free')).toBe(429)
  })
})

describe('metrics and log', () => {
  it('get the route’s template and one line a request', async () => {
    await edge.fetch('/v1/media/doc_secret')
    await edge.fetch('/nothing', { key: null })
    expect(edge.finished.map(({ method, route, status }) => [method, route, status])).toEqual([
      ['GET', '/v1/media/{media_id}', 404],
      ['GET', 'unknown', 404],
    ])
    expect(edge.log).toHaveLength(2)
    expect(edge.log[0]).toMatchObject({ level: 'info', fields: { account_id: ACCOUNT, key_id: 'keyall00' } })
  })
})
