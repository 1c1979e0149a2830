import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { DuplicateMedia, IdempotencyKeyReused, InsufficientFunds } from '@medialog/domain'
import { AccountSuspended, QuotaExceeded, TooManyFiles, UnreadableFile } from '@medialog/application'
import { usd } from '@medialog/kernel'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { KEY, refusal, startEdge, success, type Edge } from '../testing/edge.ts'
import { RawClient } from '../testing/raw.ts'

let edge: Edge
beforeAll(async () => {
  edge = await startEdge()
})
afterAll(() => edge[Symbol.asyncDispose]())
beforeEach(() => {
  edge.fake.uploads.length = 0
  edge.fake.faults.clear()
})
// Whatever was sent and however it ended: nothing stays staged.
afterEach(async () => {
  for (let tries = 0; edge.staging.staged.size > 0 && tries < 2_000; tries++) await sleep(10)
  if (edge.staging.staged.size > 0) throw new Error('something was left in staging')
})

type Part = [name: string, value: string | Blob, filename?: string]
const form = (...parts: Part[]): FormData => {
  const body = new FormData()
  for (const [name, value, filename] of parts)
    if (filename === undefined || typeof value === 'string') body.append(name, value)
    else body.append(name, value, filename)
  return body
}
const file = (content = 'hello', name = 'note.txt', field = 'file'): Part => [
  field,
  new Blob([content]),
  name,
]
const upload = (body: FormData, init: { headers?: { [name: string]: string }; query?: string } = {}) =>
  edge.fetch(`/v1/media${init.query ?? ''}`, { method: 'POST', body, headers: init.headers ?? {} })

const BOUNDARY = 'frontier'
/** One part by hand, with its headers as given. */
const part = (disposition: string, content: string, more = ''): string =>
  `--${BOUNDARY}\r\nContent-Disposition: ${disposition}\r\n${more}\r\n${content}\r\n`
const END = `--${BOUNDARY}--\r\n`
const FILE = part('form-data; name="file"; filename="note.txt"', 'hello')

const postRaw = (body: string | Buffer, headers: { [name: string]: string } = {}) =>
  edge.fetch('/v1/media', {
    method: 'POST',
    body: typeof body === 'string' ? Buffer.from(body) : new Uint8Array(body),
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, ...headers },
  })

describe('room for a file', () => {
  it.each([
    [
      'when it begins',
      () => Promise.reject(new TooManyFiles({ files: 64, most_files: 64, bytes: 9, most_bytes: 10 })),
      429,
    ],
    [
      'in the middle of its bytes',
      async () => ({
        add: () => {
          throw new InsufficientFunds(usd('0.04'), usd('0'))
        },
        [Symbol.dispose]: () => undefined,
      }),
      403,
    ],
  ] as const)('is refused %s', async (_, receiveFile, status) => {
    const receive = vi.spyOn(edge.application.ingest, 'receiveFile').mockImplementation(receiveFile)
    const refused = await refusal(await upload(form(file())), 'A')
    receive.mockRestore()
    expect([refused.status, edge.fake.uploads.length]).toEqual([status, 0])
  })

  it('is given back whatever became of the file', async () => {
    const ended = vi.fn<() => void>()
    let arrived = 0
    const receive = vi.spyOn(edge.application.ingest, 'receiveFile').mockResolvedValue({
      add: (bytes) => void (arrived += bytes),
      [Symbol.dispose]: ended,
    })
    await success(await upload(form(file('hello'))), 'uploadMedia')
    await refusal(await upload(form(file('hello'), ['unknown', 'field'])), 'A')
    receive.mockRestore()
    expect([arrived, ended.mock.calls.length]).toEqual([10, 2])
  })
})

describe('a good upload', () => {
  it('answers as the specification says', async () => {
    const response = await upload(form(file('hello wörld')))
    const { data, metadata, timestamp } = await success(response, 'uploadMedia')
    expect(data.processing_info).toMatchObject({
      started_at: '2026-11-20T13:05:09.123',
      completed_at: '2026-11-20T13:05:09.163',
    })
    expect(data.balance_info).toEqual({ previous_balance: 10, cost: 0.04, new_balance: 9.96 })
    expect(data.storage_info).toMatchObject({ collection: 'default', vectors_stored: 4 })
    expect(data.content_summary.entities.objects).toEqual(['mill'])
    expect(data.file_details.checksum).toBe(createHash('sha256').update('hello wörld').digest('hex'))
    expect(data).not.toHaveProperty('vectors')
    expect(metadata).toMatchObject({ cost: 0.04, collection: 'default', processing_time_ms: 40 })
    expect(metadata.request_id).toBe(response.headers.get('x-request-id'))
    // Whose file it is, is known by its id.
    const { context, command } = edge.fake.uploads[0]!
    expect(command.staged.id).toBe(context.requestId)
    expect(timestamp).toBe('2026-11-20T13:05:09.163Z')
    expect(response.headers.has('idempotency-replayed')).toBe(false)
  })

  it('takes its fields before and after the file', async () => {
    await success(
      await upload(form(['force_overwrite', 'TRUE'], file(), ['collection_id', 'a.b-c_1'])),
      'uploadMedia',
    )
    expect(edge.fake.uploads[0]!.command).toMatchObject({ overwrite: true, collection: 'a.b-c_1' })
    await success(await upload(form(file())), 'uploadMedia')
    expect(edge.fake.uploads[1]!.command).toMatchObject({ overwrite: false, collection: null })
  })

  it.each([
    ['?include_vectors=true', [], true],
    ['', [['include_vectors', '1']], true],
    ['?include_vectors=true', [['include_vectors', 'false']], false],
  ] as [string, Part[], boolean][])('include_vectors as %s and %j', async (query, fields, shown) => {
    const { data } = await success(await upload(form(file(), ...fields), { query }), 'uploadMedia')
    expect('vectors' in data).toBe(shown)
  })

  it('passes an Idempotency-Key on, and says when it was a replay', async () => {
    const response = await upload(form(file()), { headers: { 'idempotency-key': 'again' } })
    await success(response, 'uploadMedia')
    expect(edge.fake.uploads[0]!.command.idempotencyKey).toBe('again')
    expect(response.headers.get('idempotency-replayed')).toBe('true')
  })

  it.each([
    ['filename="résumé ✓ 자료.txt"', 'résumé ✓ 자료.txt'],
    ["filename*=UTF-8''r%C3%A9sum%C3%A9.txt", 'résumé.txt'],
    ['filename="plain.txt"; filename*=UTF-8\'\'r%C3%A9sum%C3%A9.txt', 'résumé.txt'],
    ["filename*=utf-8'de'%E2%82%AC.txt; filename=plain.txt", '€.txt'],
    ["filename*=ISO-8859-1''caf%E9.txt", 'café.txt'],
    ['filename="plain.txt"; filename*=UTF-8\'\'broken%C3%.txt', 'plain.txt'],
    ['filename="plain.txt"; filename*=EBCDIC\'\'other.txt', 'plain.txt'],
    ['filename="a; filename*=UTF-8\'\'b.txt"', "a; filename*=UTF-8''b.txt"],
    ['filename="C:\\\\Users\\\\ada\\\\note.txt"', 'note.txt'],
    ['filename="../../etc/note.txt"', 'note.txt'],
    ['filename="say %22hi%22.txt"', 'say "hi".txt'],
    ['filename="100%.txt"', '100%.txt'],
    ['filename="it\'s \\"quoted\\".txt"', 'it\'s "quoted".txt'],
    ['filename="a\u0001\u007fb.txt"', 'ab.txt'],
    ['filename="  spaced .txt"', 'spaced .txt'],
    [`filename="${'ä'.repeat(200)}.txt"`, `${'ä'.repeat(125)}.txt`],
  ])('keeps the file name of %s', async (filename, kept) => {
    const body = part(`form-data; name="file"; ${filename}`, 'hello') + END
    const { data } = await success(await postRaw(body), 'uploadMedia')
    expect(data.file_details.filename).toBe(kept)
    expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(255)
  })
})

describe('a bad upload', () => {
  it.each([
    ['no file', form(['collection_id', 'a']), 'MISSING_FILE', undefined],
    ['a file as text', form(['file', 'hello']), 'MISSING_FILE', undefined],
    ['two files', form(file(), file('other')), 'INVALID_PARAMETER', 'file'],
    ['a file under another name', form(file('a', 'a.txt', 'upload')), 'INVALID_PARAMETER', 'upload'],
    ['an unknown field', form(file(), ['tags', 'a']), 'INVALID_PARAMETER', 'tags'],
    ['__proto__', form(file(), ['__proto__', 'a']), 'INVALID_PARAMETER', '__proto__'],
    [
      'a field twice',
      form(file(), ['collection_id', 'a'], ['collection_id', 'a']),
      'INVALID_PARAMETER',
      'collection_id',
    ],
    ['a bad boolean', form(file(), ['force_overwrite', 'yes']), 'INVALID_PARAMETER', 'force_overwrite'],
    ['a bad collection', form(['collection_id', 'a b'], file()), 'INVALID_PARAMETER', 'collection_id'],
    ['the reserved collection', form(file(), ['collection_id', 'All']), 'INVALID_PARAMETER', 'collection_id'],
    ['a field with NUL', form(file(), ['collection_id', 'a\0']), 'INVALID_PARAMETER', 'collection_id'],
    ['a long field', form(file(), ['collection_id', 'a'.repeat(9000)]), 'INVALID_PARAMETER', 'collection_id'],
    ['an unsupported type', form(file('MZ', 'program.exe')), 'UNSUPPORTED_FILE_TYPE', undefined],
    ['an empty file', form(file('', 'empty.txt')), 'CORRUPTED_FILE', undefined],
    ['a large file', form(file('x'.repeat(100_001))), 'FILE_SIZE_EXCEEDED', undefined],
    [
      'many fields',
      form(file(), ...Array.from({ length: 30 }, (_, n): Part => [`f${n}`, ''])),
      'INVALID_PARAMETER',
      'body',
    ],
  ] as const)('%s: refused', async (_what, body, code, parameter) => {
    const refused = await refusal(await upload(body))
    expect(refused).toMatchObject({ status: 400, code })
    expect(refused.details.parameter).toBe(parameter)
    expect(edge.fake.uploads).toHaveLength(0)
  })

  it.each([
    ['filename=""', 'MISSING_FILE'],
    ['filename="../"', 'INVALID_PARAMETER'],
    ['filename=".."', 'INVALID_PARAMETER'],
  ])('with %s: refused', async (filename, code) => {
    const body = part(`form-data; name="file"; ${filename}`, 'hello') + END
    expect(await refusal(await postRaw(body))).toMatchObject({ status: 400, code })
  })

  it.each([
    ['a truncated body', FILE.slice(0, -3), {}],
    ['a body without its end', FILE, {}],
    ['another boundary', FILE + END, { 'content-type': 'multipart/form-data; boundary=other' }],
    ['no boundary', FILE + END, { 'content-type': 'multipart/form-data' }],
    ['JSON', '{}', { 'content-type': 'application/json' }],
    ['gzip', FILE + END, { 'content-encoding': 'gzip' }],
    ['an empty body', '', {}],
    ['only the end', END, {}],
    ['headers that never end', `--${BOUNDARY}\r\nX: ${'y'.repeat(100_000)}`, {}],
    [
      'too large part headers',
      part('form-data; name="file"; filename="a.txt"', 'x', `X: ${'y'.repeat(50_000)}\r\n`),
      {},
    ],
    ['a part without a name', part('form-data', 'x') + FILE + END, {}],
  ])('%s: refused', async (_what, body, headers) => {
    const refused = await refusal(await postRaw(body, headers))
    expect(refused.status).toBe(400)
    expect(['INVALID_PARAMETER', 'MISSING_FILE']).toContain(refused.code)
    expect(edge.fake.uploads).toHaveLength(0)
  })

  it('without body and content type misses its file', async () => {
    const response = await edge.fetch('/v1/media', { method: 'POST' })
    expect(await refusal(response)).toMatchObject({ status: 400, code: 'MISSING_FILE' })
  })

  it.each(['', 'a b', 'é', 'x'.repeat(256)])('with the Idempotency-Key %o: refused', async (key) => {
    const { socket } = await sendRaw(`Idempotency-Key: ${key}\r\n`)
    expect(socket).toMatchObject({ status: 400 })
    expect(JSON.parse(socket.body)).toMatchObject({
      error: { code: 'INVALID_PARAMETER', details: { parameter: 'Idempotency-Key' } },
    })
  })

  it.each([
    [new DuplicateMedia(), 409, 'DUPLICATE_FILE', {}],
    [new IdempotencyKeyReused(), 422, 'IDEMPOTENCY_KEY_REUSED', {}],
    [new AccountSuspended(), 403, 'ACCOUNT_SUSPENDED', {}],
    [new QuotaExceeded(10, 12), 403, 'QUOTA_EXCEEDED', { quota_limit: 10, used: 12 }],
    [
      new InsufficientFunds(usd('0.04'), usd('0.01')),
      403,
      'INSUFFICIENT_FUNDS',
      { required_amount: 0.04, current_balance: 0.01, shortfall: 0.03 },
    ],
    [new UnreadableFile('encrypted', 'It needs a password.'), 400, 'ENCRYPTED_FILE', {}],
    [new UnreadableFile('too-large', 'It plays 11 minutes.'), 400, 'FILE_SIZE_EXCEEDED', {}],
    [new UnreadableFile('memory', 'It needs too much memory.'), 400, 'CORRUPTED_FILE', { reason: 'memory' }],
  ])('%s', async (error, status, code, details) => {
    const uploadMedia = edge.application.ingest.upload.bind(edge.application.ingest)
    edge.application.ingest.upload = async (_context, { staged }) => {
      await edge.staging.release(staged.id)
      throw error
    }
    const answer = await upload(form(file()))
    edge.application.ingest.upload = uploadMedia
    expect(await refusal(answer)).toMatchObject({ status, code, details })
  })
})

const HEAD = `POST /v1/media HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${KEY}\r\nContent-Type: multipart/form-data; boundary=${BOUNDARY}\r\n`
async function sendRaw(headers: string, body = FILE + END) {
  const client = new RawClient(edge.server.address.port)
  client.write(Buffer.from(`${HEAD}${headers}Content-Length: ${body.length}\r\n\r\n${body}`, 'latin1'))
  const socket = await client.answer()
  client.close()
  return { socket }
}

describe('on the wire', () => {
  it('takes a chunked body, byte by byte', async () => {
    const client = new RawClient(edge.server.address.port)
    client.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`)
    for (const byte of FILE + END) client.write(`1\r\n${byte}\r\n`)
    client.write('0\r\n\r\n')
    expect((await client.answer()).status).toBe(200)
    client.close()
  })

  it('says 100 Continue only once nothing speaks against reading the body', async () => {
    const client = new RawClient(edge.server.address.port)
    client.write(`${HEAD}Expect: 100-continue\r\nContent-Length: ${(FILE + END).length}\r\n\r\n`)
    expect((await client.answer()).text).toBe('HTTP/1.1 100 Continue\r\n\r\n')
    client.write(FILE + END)
    for (let tries = 0; tries < 2_000; tries++) {
      if ((await client.answer()).text.includes('HTTP/1.1 200 OK')) break
      await sleep(10)
    }
    expect((await client.answer()).text).toContain('HTTP/1.1 200 OK')
    client.close()
    const refused = new RawClient(edge.server.address.port)
    refused.write(`${HEAD.replace(KEY, 'wrong')}Expect: 100-continue\r\nContent-Length: 5000000\r\n\r\n`)
    const answer = await refused.answer()
    expect(answer.text).toMatch(/^HTTP\/1\.1 401/)
    expect(answer.headers.toLowerCase()).toContain('connection: close')
    refused.close()
  })

  it('refuses a file that is announced larger than any may be, before it is sent', async () => {
    for (const expectation of ['Expect: 100-continue\r\n', '']) {
      const client = new RawClient(edge.server.address.port)
      client.write(`${HEAD}${expectation}Content-Length: ${10 ** 15}\r\n\r\n`)
      const answer = await client.answer()
      expect(answer.text).toMatch(/^HTTP\/1\.1 400/)
      expect(JSON.parse(answer.body)).toMatchObject({
        error: { code: 'FILE_SIZE_EXCEEDED', details: { limit_bytes: 100 * 1024 * 1024 } },
      })
      client.close()
    }
  })

  it('lets go of what a client that went away had sent', async () => {
    const staging = Promise.withResolvers<void>()
    const identify = edge.application.ingest.identify.bind(edge.application.ingest)
    edge.application.ingest.identify = (filename, head) => {
      staging.resolve()
      return identify(filename, head)
    }
    const client = new RawClient(edge.server.address.port)
    client.write(`${HEAD}Content-Length: 90000\r\n\r\n${FILE.slice(0, -2)}${'x'.repeat(20_000)}`)
    await staging.promise
    edge.application.ingest.identify = identify
    const before = edge.finished.length
    client.close()
    for (let tries = 0; edge.finished.length === before && tries < 2_000; tries++) await sleep(10)
    expect(edge.finished.at(-1)).toMatchObject({ status: 499, route: '/v1/media' })
    expect(edge.log.at(-1)!.level).toBe('info')
  })

  it('answers what is not HTTP, in shape A', async () => {
    for (const [text, status] of [
      ['nonsense\r\n\r\n', 400],
      [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
      [`${HEAD}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n`, 400],
      [`${HEAD}Expect: wonders\r\n\r\n`, 417],
      ['GET /healthz HTTP/1.1\r\n\r\n', 400],
      ['CONNECT other.example:443 HTTP/1.1\r\nHost: other.example\r\n\r\n', 405],
    ] as const) {
      const client = new RawClient(edge.server.address.port).write(text)
      const answer = await client.answer()
      expect(answer.status).toBe(status)
      expect(JSON.parse(answer.body)).toMatchObject({ success: false, error: { code: expect.any(String) } })
      client.close()
    }
  })

  it('gives the refusal of a large file to clients that are still sending', async () => {
    const megabyte = Buffer.alloc(1024 * 1024, 120)
    const head = Buffer.from(FILE.slice(0, -2))
    async function* body() {
      yield head
      for (let sent = 0; sent < 40; sent++) {
        yield megabyte
        await sleep(1)
      }
      yield Buffer.from(`\r\n${END}`)
    }
    const viaFetch = await edge.fetch('/v1/media', {
      method: 'POST',
      headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
      body: body(),
      duplex: 'half',
    })
    expect(await refusal(viaFetch)).toMatchObject({
      status: 400,
      code: 'FILE_SIZE_EXCEEDED',
      details: { limit_bytes: 100_000 },
    })
    expect(await viaNode(body())).toBe(400)
  })
})

/** Node's own client, which sends on after an answer. */
function viaNode(body: AsyncIterable<Buffer>, url = edge.server.url): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      `${url}/v1/media`,
      {
        method: 'POST',
        headers: { 'x-api-key': KEY, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
      },
      (response) => {
        response.resume()
        resolve(response.statusCode!)
      },
    )
    request.on('error', reject)
    void (async () => {
      for await (const chunk of body)
        if (!request.write(chunk)) await new Promise((go) => request.once('drain', go))
      request.end()
    })()
  })
}

/** Resolves once the number stays the same for a while: its writer has stopped, or lost its turn. */
async function atRest(number: () => number): Promise<void> {
  for (let before = -1; before !== number(); await sleep(10)) before = number()
}

describe('memory', () => {
  it('does not grow with the file: what is not staged yet is not read yet', async () => {
    await using slow = await startEdge()
    const arrived: Socket[] = []
    const callback = slow.app.callback()
    const server = createServer((request, response) => void callback(request, response))
    server.on('connection', (socket) => arrived.push(socket)).listen(0, '127.0.0.1')
    await once(server, 'listening')

    /** Bytes that were read off the connection and did not come out at the other end, whenever that paused. */
    const held: number[] = []
    async function* slowly(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
      let staged = 0
      let chunks = 0
      for await (const chunk of bytes) {
        if (chunks++ % 32 === 0) {
          await atRest(() => arrived[0]!.bytesRead)
          held.push(arrived[0]!.bytesRead - staged)
        }
        staged += chunk.length
        yield chunk
      }
    }
    const stage = slow.staging.stage.bind(slow.staging)
    slow.staging.stage = (bytes, limit) => stage(slowly(bytes), limit)

    const megabytes = 50
    async function* film() {
      yield Buffer.from(part('form-data; name="file"; filename="film.mp4"', '').slice(0, -2))
      for (let sent = 0; sent < megabytes * 4; sent++) yield Buffer.alloc(256 * 1024, 7)
      yield Buffer.from(`\r\n${END}`)
    }
    const { port } = server.address() as AddressInfo
    expect(await viaNode(film(), `http://127.0.0.1:${port}`)).toBe(200)
    server.close()
    expect(slow.fake.uploads[0]!.command.staged.size).toBe(megabytes * 1024 * 1024)
    expect(held.length).toBeGreaterThan(10)
    expect(Math.max(...held)).toBeLessThan(1024 * 1024)
  })
})
