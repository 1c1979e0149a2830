import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import {
  createClient,
  Medialog,
  Refused,
  type MedialogError,
  Unreachable,
  type ClientOptions,
} from './index.ts'
import { ok, refused, startScriptedServer, type ScriptedServer } from './testing/scripted-server.ts'

let server: ScriptedServer | undefined
const folder = mkdtempSync(join(tmpdir(), 'medialog-client-'))
afterEach(async () => {
  await server?.close()
  server = undefined
})
afterAll(() => rmSync(folder, { recursive: true }))

async function start(script: Parameters<typeof startScriptedServer>[0], options: ClientOptions = {}) {
  server = await startScriptedServer(script)
  return createClient({ url: server.url, apiKey: 'mlk_a', operatorToken: 'mlo_a', ...options })
}
const NOW = { 'retry-after': '0' }
const failing = async (work: Promise<unknown>): Promise<unknown> => {
  const outcome = await work.then(
    () => 'succeeded',
    (error: unknown) => error,
  )
  expect(outcome).toBeInstanceOf(Error)
  return outcome
}

describe('a request', () => {
  test('has its parts where the contract has them, and the secret that it needs', async () => {
    const client = await start(() => ok({ deleted: 1 }))
    await client.readMedia({ media_id: 'doc_ä/1', include_chunks: true })
    await client.search({ query: 'a bridge', max_results: 3 })
    await client.openAccount({ name: 'Acme' })
    await client.healthz()
    await client.creditAccount({ account_id: 'a', amount: 1 }, { idempotencyKey: 'once' })
    const [read, search, open, health, credit] = server!.requests
    expect(read).toMatchObject({ method: 'GET', path: '/v1/media/doc_%C3%A4%2F1' })
    expect([...read!.query]).toEqual([['include_chunks', 'true']])
    expect(read!.headers).toMatchObject({ 'x-api-key': 'mlk_a' })
    expect(JSON.parse(search!.bytes.toString())).toEqual({ query: 'a bridge', max_results: 3 })
    expect(search!.headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/)
    expect(open!.headers).toMatchObject({ 'x-operator-token': 'mlo_a' })
    expect(open!.headers).not.toHaveProperty('x-api-key')
    expect(health!.headers).not.toHaveProperty('x-operator-token')
    expect(open!.headers).not.toHaveProperty('idempotency-key')
    expect(credit!.headers['idempotency-key']).toBe('once')
  })

  test('has its ids alone before the rest, where somebody likes that better', async () => {
    const client = await start(() => ok({}))
    await client.readMedia('doc_1', { include_chunks: true }, { timeoutMs: 9_000 })
    await client.deleteMedia('doc_2')
    await client.moveItems('reports', { items: ['doc_3'] })
    await client.resendDelivery('webhook_1', 'delivery_2')
    expect(server!.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /v1/media/doc_1',
      'DELETE /v1/media/doc_2',
      'POST /v1/media/collections/reports/items',
      'POST /v1/webhooks/webhook_1/deliveries/delivery_2/resend',
    ])
    expect([...server!.requests[0]!.query]).toEqual([['include_chunks', 'true']])
    expect(JSON.parse(server!.requests[2]!.bytes.toString())).toEqual({ items: ['doc_3'] })
  })

  test('with a name that it does not have is refused with the right one, and not sent', async () => {
    const client = await start(() => ok({}))
    const wrong = async (work: () => unknown, message: string) =>
      expect(async () => work()).rejects.toThrow(new TypeError(message))
    const any = client as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>
    await wrong(
      () => any['readMedia']!({ mediaId: 'doc_1' }),
      'readMedia takes no `mediaId`: it is `media_id`.',
    )
    await wrong(
      () => any['listBatches']!({ limit: 3 }),
      'listBatches takes no `limit`: it takes page, page_size, status.',
    )
    await wrong(() => any['readMedia']!('doc_1', 'doc_2'), 'readMedia takes media_id alone.')
    await wrong(() => any['search']!('a bridge'), 'search takes its parameters by name.')
    await wrong(
      () => any['readMedia']!('doc_1', {}, { max_retries: 2 }),
      'readMedia’s options takes no `max_retries`: it is `maxRetries`.',
    )
    await wrong(
      () => createClient({ base_url: 'http://127.0.0.1' } as ClientOptions),
      'The client takes no `base_url`: it is `baseUrl`.',
    )
    expect(server!.requests).toEqual([])
  })

  test('goes by what the environment and other clients call it', async () => {
    await start((_, nth) => (nth > 2 ? ok({}) : refused(503, 'SERVICE_UNAVAILABLE', {}, NOW)))
    vi.stubEnv('MEDIALOG_URL', server!.url)
    vi.stubEnv('MEDIALOG_API_KEY', 'mlk_environment')
    try {
      const client = new Medialog({ maxRetries: 0, timeout: 5_000 })
      expect(client.url).toBe(server!.url)
      expect(await failing(client.listMedia())).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
      await client.listMedia({}, { maxRetries: 1 })
      expect(server!.requests.map(({ headers }) => headers['x-api-key'])).toEqual([
        'mlk_environment',
        'mlk_environment',
        'mlk_environment',
      ])
      await new Medialog({ baseUrl: server!.url, apiKey: 'mlk_given' }).listMedia()
      expect(server!.requests.at(-1)!.headers['x-api-key']).toBe('mlk_given')
    } finally {
      vi.unstubAllEnvs()
    }
    // Who names a service and no key of it has none.
    expect(await failing(createClient({ baseUrl: server!.url }).listMedia())).toMatchObject({
      code: 'NO_API_KEY',
    })
  })

  test('never leads to another path than its own', async () => {
    const client = await start(() => ok({}))
    for (const media_id of ['..', '.', ''])
      await expect(client.deleteMedia({ media_id })).rejects.toThrow(TypeError)
    expect(server!.requests).toEqual([])
  })

  test('is not sent without the secret that it needs', async () => {
    const client = await start(() => ok({}), { apiKey: undefined, operatorToken: undefined })
    expect(await failing(client.listMedia())).toMatchObject({ code: 'NO_API_KEY' })
    expect(await failing(client.listAccounts())).toMatchObject({ code: 'NO_OPERATOR_TOKEN' })
    expect(server!.requests).toEqual([])
  })

  test('keeps the path of a service below another one', async () => {
    const client = await start(() => ok({}))
    await createClient({ url: `${client.url}/media/`, apiKey: 'mlk_a' }).listMedia()
    expect(server!.requests[0]!.path).toBe('/media/v1/media')
  })

  test('ends with the reason of its signal, sent or waiting for another try', async () => {
    const reason = new Error('enough')
    const aborted = AbortSignal.abort(reason)
    const client = await start(() => refused(503, 'SERVICE_UNAVAILABLE', {}, { 'retry-after': '60' }))
    expect(await failing(client.listMedia({}, { signal: aborted }))).toBe(reason)
    const waiting = new AbortController()
    const read = client.listMedia({}, { signal: waiting.signal, onRetry: () => waiting.abort(reason) })
    expect(await failing(read)).toBe(reason)
    expect(server!.requests).toHaveLength(1)
  })
})

describe('a service that is silent', () => {
  test('is left after as long as was asked for, and not asked again', async () => {
    const client = await start(() => new Promise(() => {}))
    expect(await failing(client.listMedia({}, { timeoutMs: 50 }))).toMatchObject({
      reason: 'silent',
      message: `${client.url} gave no answer within 0.05 s.`,
    })
    expect(server!.requests).toHaveLength(1)
  })
})

describe('a refusal', () => {
  test.each([
    ['A', { message: 'No.', error: { code: 'NOT_FOUND', details: { id: 1 } } }],
    ['B', { message: 'No.', code: 'not_found', status_code: 404, details: { id: 1 } }],
    ['C', { error: { code: 'not_found', message: 'No.', details: { id: 1 } } }],
  ])('of shape %s is told the same way', async (_, body) => {
    const client = await start(() => ({ status: 404, body, headers: { 'x-request-id': 'req_1' } }))
    const error = await failing(client.listMedia())
    expect(error).toBeInstanceOf(Refused)
    expect(error).toMatchObject({
      code: 'NOT_FOUND',
      message: 'No.',
      status: 404,
      details: { id: 1 },
      requestId: 'req_1',
      retryAfterMs: null,
    })
  })

  test('that is not of the service says its status', async () => {
    const client = await start(() => ({ status: 502, body: '<h1>Bad gateway</h1>' }))
    expect(await failing(client.listMedia({}, { attempts: 1 }))).toMatchObject({
      code: 'HTTP_502',
      status: 502,
    })
  })

  test.each([502, 503, 504])(
    'by a proxy (%s) is a service that restarts: what may be sent again is',
    async (status) => {
      const client = await start((_, nth) =>
        nth === 1 ? { status, body: '<h1>No service</h1>', headers: NOW } : ok({ media_id: 'doc_1' }),
      )
      expect(await client.uploadMedia({ file: { name: 'a.txt', content: Buffer.from('a') } })).toMatchObject({
        media_id: 'doc_1',
      })
      const [first, second] = server!.requests
      expect(first!.headers['idempotency-key']).toBe(second!.headers['idempotency-key'])
    },
  )

  test('with data is an answer: the state of the service comes with 503', async () => {
    const client = await start(() => ({
      status: 503,
      body: { ...(ok({}).body as object), data: { status: 'critical' } },
    }))
    expect(await client.readStatus()).toMatchObject({ status: 'critical' })
  })

  test('of what is no service of ours says so', async () => {
    const client = await start(() => ({ status: 200, body: '<h1>Hello</h1>' }))
    expect(await failing(client.listMedia())).toMatchObject({ code: 'NOT_MEDIALOG' })
  })
})

describe('another try', () => {
  test('is made of what costs money, under the same key', async () => {
    const client = await start((_, nth) => {
      if (nth === 1) return 'broken'
      return nth === 2 ? refused(503, 'SERVICE_UNAVAILABLE', {}, NOW) : ok({ results: [] })
    })
    const waits: string[] = []
    await client.search({ query: 'x' }, { onRetry: ({ code }) => waits.push(code) })
    expect(waits).toEqual(['UNREACHABLE', 'SERVICE_UNAVAILABLE'])
    expect(new Set(server!.requests.map(({ headers }) => headers['idempotency-key']))).toHaveProperty(
      'size',
      1,
    )
  })

  test('is made where an answer breaks off in its middle', async () => {
    const client = await start((_, nth) => (nth === 1 ? { breaksOff: '{"succ' } : ok({ items: [] })))
    expect(await client.listMedia()).toEqual({ items: [] })
  })

  test('is not made of what would be done twice, but where nothing was done', async () => {
    const client = await start(({ path }, nth) => {
      if (path.startsWith('/admin')) return 'broken'
      return nth % 2 === 0 ? refused(429, 'RATE_LIMIT_EXCEEDED', {}, NOW) : ok({})
    })
    expect(await failing(client.openAccount({ name: 'Acme' }))).toMatchObject({ reason: 'broken' })
    expect(server!.requests).toHaveLength(1)
    await client.addWebhook({ url: 'https://example.com' })
    expect(server!.requests).toHaveLength(3)
  })

  test('is not made of a refusal for good, nor of a damaged record', async () => {
    const client = await start(({ path }) => refused(path === '/v1/usage' ? 503 : 403, 'NO'))
    await failing(client.listMedia())
    await failing(client.readUsage())
    expect(server!.requests).toHaveLength(2)
  })

  test('ends after as many as were asked for', async () => {
    const client = await start(() => refused(503, 'SERVICE_UNAVAILABLE', {}, NOW), { attempts: 3 })
    expect(await failing(client.listMedia())).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    expect(server!.requests).toHaveLength(3)
  })

  test('waits for a server that was there; one that never was is told at once', async () => {
    const client = await start(() => ok({ items: [] }))
    const waited: MedialogError[] = []
    expect(
      await failing(createClient({ url: 'http://127.0.0.1:9', apiKey: 'mlk_a' }).listMedia()),
    ).toMatchObject({
      reason: 'nobody',
    })
    await client.listMedia()
    const { port } = new URL(client.url)
    await server!.close()
    let restarted: Promise<ScriptedServer> | undefined
    const onRetry = (error: MedialogError): void => {
      waited.push(error)
      restarted ??= startScriptedServer(() => ok({ items: [] }), Number(port))
    }
    expect(await client.listMedia({}, { onRetry })).toEqual({ items: [] })
    server = await restarted
    expect(waited[0]).toBeInstanceOf(Unreachable)
  })
})

describe('what was written', () => {
  test('is waited for by the reads that follow, and by those of another client', async () => {
    const client = await start((_, nth) => ok({}, { 'x-position': `p${nth}` }))
    await client.listMedia()
    await client.deleteMedia({ media_id: 'doc_1' })
    await client.listMedia()
    await client.listMedia()
    await createClient({ url: client.url, apiKey: 'mlk_a', positions: client.positions }).listMedia()
    expect(server!.requests.map(({ headers }) => headers['x-min-position'])).toEqual([
      undefined,
      undefined,
      'p2',
      'p2',
      'p2',
    ])
  })

  test('is forgotten where the service was restored to before it, and the read is sent again', async () => {
    const client = await start(({ headers }) =>
      headers['x-min-position'] === undefined
        ? ok({ items: [] }, { 'x-position': 'p1' })
        : refused(409, 'POSITION_LOST'),
    )
    await client.deleteMedia({ media_id: 'doc_1' })
    expect(await client.listMedia()).toEqual({ items: [] })
    expect(client.positions).toEqual([])
    await client.listMedia()
    expect(server!.requests.map(({ headers }) => headers['x-min-position'])).toEqual([
      undefined,
      'p1',
      undefined,
      undefined,
    ])
  })

  test('at the same time is waited for all of it; what came before that no longer is', async () => {
    let release = (): void => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    const client = await start(async ({ path }, nth) => {
      if (path.endsWith('slow')) await held
      return ok({}, { 'x-position': `p${nth}` })
    })
    await client.deleteMedia({ media_id: 'first' })
    const slow = client.deleteMedia({ media_id: 'slow' })
    while (server!.requests.length < 2) await new Promise(setImmediate)
    await client.deleteMedia({ media_id: 'quick' })
    release()
    await slow
    expect(client.positions).toEqual(['p3', 'p2'])
    await client.deleteMedia({ media_id: 'last' })
    expect(client.positions).toEqual(['p4'])
  })
})

describe('a file', () => {
  const boundaryOf = (type: unknown) => /boundary=(.*)/.exec(String(type))![1]!
  async function formOf(nth = 0): Promise<{ name: string; text: string }[]> {
    const { bytes, headers } = server!.requests[nth]!
    const type = String(headers['content-type'])
    expect(boundaryOf(type)).toMatch(/^medialog-/)
    const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData()
    return Promise.all(
      [...form].map(async ([name, value]) =>
        typeof value === 'string' ? { name, text: value } : { name: value.name, text: await value.text() },
      ),
    )
  }
  const stream = async function* (...texts: string[]) {
    for (const text of texts) yield Buffer.from(text)
  }

  test('is sent from a path with its length, again where the connection breaks', async () => {
    const path = join(folder, 'ä "quoted".txt')
    writeFileSync(path, 'hello')
    const client = await start((_, nth) => (nth === 1 ? 'broken' : ok({ media_id: 'doc_1' })))
    const progress: unknown[] = []
    const options = { onProgress: (told: object) => progress.push(told) }
    await client.uploadMedia({ file: path, collection_id: 'notes', force_overwrite: true }, options)
    const [first, second] = server!.requests
    expect(Number(first!.headers['content-length'])).toBe(first!.bytes.length)
    expect(second!.headers['idempotency-key']).toBe(first!.headers['idempotency-key'])
    expect(await formOf(1)).toEqual([
      { name: 'collection_id', text: 'notes' },
      { name: 'force_overwrite', text: 'true' },
      { name: 'ä "quoted".txt', text: 'hello' },
    ])
    expect(progress).toEqual([
      { sent: 5, total: 5 },
      { sent: 5, total: 5 },
    ])
  })

  test('is sent from bytes, a Blob and a File; many as one batch, with its options as JSON', async () => {
    const client = await start(() => ok({ batch_id: 'batch_1' }))
    await client.createBatch({
      file: [
        { name: 'a.txt', content: Buffer.from('a') },
        { name: 'b.txt', content: new Blob(['b']) },
        new File(['c'], 'c.txt'),
      ],
      batch_options: { batch_name: 'three' },
    })
    expect(await formOf()).toEqual([
      { name: 'batch_options', text: '{"batch_name":"three"}' },
      { name: 'a.txt', text: 'a' },
      { name: 'b.txt', text: 'b' },
      { name: 'c.txt', text: 'c' },
    ])
  })

  test('is sent without a name of its own, or with the one that it has', async () => {
    const path = join(folder, 'read.txt')
    writeFileSync(path, 'read')
    const client = await start(() => ok({ batch_id: 'batch_1' }))
    await client.createBatch({
      file: [Buffer.from('a'), new Blob(['b']), createReadStream(path), stream('c')],
    })
    expect(await formOf()).toEqual([
      { name: 'file', text: 'a' },
      { name: 'file', text: 'b' },
      { name: 'read.txt', text: 'read' },
      { name: 'file', text: 'c' },
    ])
  })

  test('that is a stream is sent once, with its length where that is known', async () => {
    const client = await start((_, nth) => (nth === 3 ? 'broken' : ok({ media_id: 'doc_1' })))
    await client.uploadMedia({ file: { name: 'a.txt', content: stream('he', 'llo') } })
    await client.uploadMedia({ file: { name: 'a.txt', content: stream('he', 'llo'), size: 5 } })
    expect(server!.requests.map(({ headers }) => headers['transfer-encoding'])).toEqual([
      'chunked',
      undefined,
    ])
    expect(await formOf(1)).toEqual([{ name: 'a.txt', text: 'hello' }])
    const broken = client.uploadMedia({ file: { name: 'a.txt', content: stream('hello') } })
    expect(await failing(broken)).toMatchObject({ reason: 'broken' })
    expect(server!.requests).toHaveLength(3)
  })

  test.each([4, 6])('whose size is wrong is an error (%i)', async (size) => {
    const client = await start(() => ok({}))
    const wrong = client.uploadMedia({ file: { name: 'a.txt', content: stream('hello'), size } })
    expect(await failing(wrong)).toMatchObject({ code: 'UNREADABLE_FILE' })
  })

  test('that is not there is an error of the file system', async () => {
    const client = await start(() => ok({}))
    expect(await failing(client.uploadMedia({ file: '/nowhere/at.all' }))).toMatchObject({ code: 'ENOENT' })
  })
})

describe('lists', () => {
  test('go on behind the last entry, where a page names its place', async () => {
    const client = await start(({ query }) => {
      const after = query.get('after')
      const pagination = { page: 1, total_pages: 2, ...(after === null && { next: 'p2' }) }
      return ok({ items: [{ media_id: after ?? 'first' }], pagination })
    })
    const items = await Array.fromAsync(client.iterate('listMedia', { collection: 'x' }))
    expect(items.map(({ media_id: id }) => id)).toEqual(['first', 'p2'])
    expect(server!.requests.map(({ query }) => query.get('page'))).toEqual(['1', null])
  })

  test('are gone through page by page, as they are asked for', async () => {
    const client = await start(({ query }) => {
      const page = Number(query.get('page'))
      return ok({
        batches: [{ batch_id: page * 2 }, { batch_id: page * 2 + 1 }],
        pagination: { page, total_pages: 3 },
      })
    })
    const seen: unknown[] = []
    for await (const { batch_id } of client.iterate('listBatches', { page_size: 2, status: 'running' })) {
      seen.push(batch_id)
      if (seen.length === 3) break
    }
    expect(seen).toEqual([2, 3, 4])
    expect(server!.requests.map(({ query }) => String(query))).toEqual([
      'page=1&page_size=2&status=running',
      'page=2&page_size=2&status=running',
    ])
  })
})
