import { setTimeout as sleep } from 'node:timers/promises'
import {
  AccountSuspended,
  EngineUnavailable,
  InvalidInput,
  ReplayGone,
  UnreadableFile,
} from '@medialog/application'
import type { AnswerListener } from '@medialog/application'
import { AnswerEvents } from '@medialog/contract/http'
import { IdempotencyKeyReused, InsufficientFunds, RequestInProgress } from '@medialog/domain'
import { usd } from '@medialog/kernel'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { READER, refusal, startEdge, success, type Edge } from '../testing/edge.ts'
import { catalogItem, idOfItem } from '../testing/fixtures.ts'

let edge: Edge
beforeAll(async () => {
  edge = await startEdge()
})
afterAll(() => edge[Symbol.asyncDispose]())
beforeEach(() => {
  edge.fake.faults.clear()
  edge.fake.asked.length = 0
  edge.fake.analyses.length = 0
})

const ITEM = catalogItem(1)
const VECTOR_ID = `vec-${ITEM.mediaId}`
const ask = (json: object, headers: { [name: string]: string } = {}) =>
  edge.fetch('/v1/ai/query', { method: 'POST', json, headers })

interface ServerEvent {
  name: keyof typeof AnswerEvents
  data: { [name: string]: unknown }
}

/** Read as the standard says: a blank line ends an event. */
const eventsIn = (text: string): ServerEvent[] =>
  text
    .split('\n\n')
    .filter((block) => block !== '' && !block.startsWith(':'))
    .map((block) => {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? []
      expect(name, block).toBeDefined()
      return { name: name as ServerEvent['name'], data: JSON.parse(data!) as ServerEvent['data'] }
    })

const FAILURES: [error: unknown, status: number, code: string][] = [
  [new InsufficientFunds(usd('0.01'), usd('0')), 402, 'INSUFFICIENT_FUNDS'],
  [new AccountSuspended(), 403, 'ACCOUNT_SUSPENDED'],
  [new IdempotencyKeyReused(), 422, 'IDEMPOTENCY_KEY_REUSED'],
  [new RequestInProgress('r'), 409, 'REQUEST_IN_PROGRESS'],
  [new ReplayGone(), 410, 'GONE'],
  [new EngineUnavailable('model', 'away', { retryAfterSeconds: 7 }), 503, 'SERVICE_UNAVAILABLE'],
  [new Error('secret'), 500, 'PROCESSING_ERROR'],
]

describe('a question', () => {
  it('is answered as the specification says', async () => {
    const response = await ask({ query: 'What blew?', media_id: VECTOR_ID, temperature: 0, max_tokens: 4096 })
    const { data, metadata } = await success(response, 'ask')
    expect(data).toEqual({
      response: 'The wind blew.\n\ndata: x',
      sources: [
        {
          media_id: idOfItem(ITEM),
          filename: 'wind.txt',
          collection: 'default',
          title: 'Winds',
          chunk: 1,
          text: 'Wind.',
          revision: 3,
        },
      ],
      billing: {
        total_cost: 0.0110001,
        base_fee: 0.01,
        token_charges: 0.0010001,
        usage: { context_tokens: 10_001, response_tokens: 7, total_tokens: 10_008, processing_time_ms: 5 },
        pricing_tier: 'standard',
      },
      request: { query: 'What blew?', temperature: 0, max_tokens: 4096, disclaimer: 'It is a fake.' },
      media_context: {
        media_id: idOfItem(ITEM),
        media_type: 'document',
        collection: 'default',
        created_at: '2026-11-20T13:05:08.123Z',
      },
    })
    expect(metadata).toEqual({
      request_id: 'req_00000000-0000-7000-8000-000000000077',
      model: 'fake-1',
      api_version: '1.0.0',
    })
    expect(response.headers.has('x-position')).toBe(true)
    expect(response.headers.has('idempotency-replayed')).toBe(false)
  })

  it('has the defaults of the specification, and no media_context without an item', async () => {
    const { data } = await success(await ask({ query: 'q' }), 'ask')
    expect(data).not.toHaveProperty('media_context')
    expect(edge.fake.asked).toEqual([
      { query: 'q', mediaId: null, systemPrompt: null, context: null, temperature: 0.7, maxTokens: 1024 },
    ])
  })

  it('passes on what it was given, and says when it was a replay', async () => {
    const response = await ask(
      { query: 'q', system_prompt: 'Be brief.', context: 'Before.' },
      { 'idempotency-key': 'again' },
    )
    await success(response, 'ask')
    expect(response.headers.get('idempotency-replayed')).toBe('true')
    expect(edge.fake.asked[0]).toMatchObject({
      systemPrompt: 'Be brief.',
      context: 'Before.',
      idempotencyKey: 'again',
    })
  })

  it('looks in the collections that are named, and in no item beside them', async () => {
    for (const collections of [['reports', 'default'], 'reports', 'all', 'ALL']) {
      const { data } = await success(await ask({ query: 'q', collections }), 'ask')
      expect(data.sources).toMatchObject([{ collection: 'default' }])
    }
    expect(edge.fake.asked.map((command) => command.collections)).toEqual([
      ['reports', 'default'],
      ['reports'],
      undefined,
      undefined,
    ])
    expect(await refusal(await ask({ query: 'q', collections: 'a', media_id: VECTOR_ID }))).toMatchObject({
      details: { parameter: 'collections', reason: 'cannot be given together with media_id' },
    })
  })

  it('needs a key that may read, and no more', async () => {
    expect(
      (await edge.fetch('/v1/ai/query', { method: 'POST', json: { query: 'q' }, key: READER })).status,
    ).toBe(200)
    const none = await edge.fetch('/v1/ai/query', { method: 'POST', json: { query: 'q' }, key: null })
    expect(await refusal(none)).toMatchObject({ status: 401, code: 'INVALID_API_KEY' })
  })

  it.each<[what: string, body: object, code: string, parameter: string]>([
    ['no query', {}, 'MISSING_QUERY', 'query'],
    ['an empty query', { query: '' }, 'MISSING_QUERY', 'query'],
    ['a blank query', { query: ' \n\t ' }, 'MISSING_QUERY', 'query'],
    ['a query of another type', { query: 7 }, 'VALIDATION_ERROR', 'query'],
    ['a query of null', { query: null }, 'VALIDATION_ERROR', 'query'],
    ['a temperature below', { query: 'q', temperature: -0.1 }, 'VALIDATION_ERROR', 'temperature'],
    ['a temperature above', { query: 'q', temperature: 1.01 }, 'VALIDATION_ERROR', 'temperature'],
    ['a temperature as text', { query: 'q', temperature: '0.5' }, 'VALIDATION_ERROR', 'temperature'],
    ['max_tokens 0', { query: 'q', max_tokens: 0 }, 'VALIDATION_ERROR', 'max_tokens'],
    ['max_tokens 4097', { query: 'q', max_tokens: 4097 }, 'VALIDATION_ERROR', 'max_tokens'],
    ['half a token', { query: 'q', max_tokens: 1.5 }, 'VALIDATION_ERROR', 'max_tokens'],
    ['a typed id', { query: 'q', media_id: idOfItem(ITEM) }, 'VALIDATION_ERROR', 'media_id'],
    ['an empty id', { query: 'q', media_id: '' }, 'VALIDATION_ERROR', 'media_id'],
    ['an unknown field', { query: 'q', model: 'x' }, 'VALIDATION_ERROR', 'model'],
    ['stream as text', { query: 'q', stream: 'true' }, 'VALIDATION_ERROR', 'stream'],
    ['NUL in the query', { query: 'a\0b' }, 'VALIDATION_ERROR', 'body'],
  ])('with %s is refused', async (_what, body, code, parameter) => {
    const refused = await refusal(await ask(body))
    expect(refused).toMatchObject({ status: 400, code, details: { parameter } })
    expect(refused.details['reason']).toEqual(expect.any(String))
    expect(edge.fake.asked).toEqual([])
  })

  it('may be longer than other bodies; what is longer still is too large', async () => {
    const query = 'q'.repeat(10_000)
    const { data } = await success(await ask({ query, context: 'word '.repeat(400_000) }), 'ask')
    expect(data.request.query).toBe(query)
    expect(edge.fake.asked.at(-1)!.context).toHaveLength(2_000_000)
    expect(await refusal(await ask({ query: 'q', context: 'word '.repeat(900_000) }))).toMatchObject({
      status: 400,
      code: 'INPUT_TOO_LARGE',
    })
  })

  it('about an item that is not there is 404, whatever follows vec-', async () => {
    for (const id of ['vec-nothing', 'vec-', 'vec-00000000-0000-5000-8000-00000000ffff'])
      expect(await refusal(await ask({ query: 'q', media_id: id }))).toMatchObject({
        status: 404,
        code: 'RESOURCE_NOT_FOUND',
        details: { resource_type: 'media_item', resource_id: id },
      })
  })

  it.each([...FAILURES, [new InvalidInput('INPUT_TOO_LARGE', 'Too much.'), 400, 'INPUT_TOO_LARGE'] as const])(
    'that fails with %s is answered %i',
    async (error, status, code) => {
      edge.fake.faults.set('ask.ask', error)
      for (const stream of [false, true]) {
        const response = await ask({ query: 'q', stream })
        expect(response.headers.get('content-type')).toMatch(/^application\/json/)
        const refused = await refusal(response)
        expect(refused).toMatchObject({ status, code })
        expect(refused.message).not.toContain('secret')
      }
    },
  )
})

describe('a streamed answer', () => {
  it('is the same in events, with any text', async () => {
    const response = await ask({ query: 'q', media_id: VECTOR_ID, stream: true })
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    expect(response.headers.get('cache-control')).toBe('no-store')
    const events = eventsIn(await response.text())
    expect(events.map(({ name }) => name)).toEqual(['delta', 'delta', 'sources', 'billing', 'done'])
    for (const { name, data } of events) AnswerEvents[name].parse(data)
    const { data } = await success(await ask({ query: 'q', media_id: VECTOR_ID }), 'ask')
    expect(
      events
        .slice(0, 2)
        .map(({ data }) => data['text'])
        .join(''),
    ).toBe(data.response)
    expect(events[2]!.data).toEqual({ sources: data.sources })
    expect(events[3]!.data).toEqual(data.billing)
    expect(events[4]!.data).toMatchObject({ request: data.request, media_context: data.media_context })
  })

  it('says when it is a replay', async () => {
    const response = await ask({ query: 'q', stream: true }, { 'idempotency-key': 'again' })
    expect(response.headers.get('idempotency-replayed')).toBe('true')
    await response.text()
  })

  it('that fails in the middle ends with an error', async () => {
    const events = eventsIn(await (await ask({ query: 'break', stream: true })).text())
    expect(events.map(({ name }) => name)).toEqual(['delta', 'delta', 'error'])
    const error = AnswerEvents.error.parse(events[2]!.data)
    expect(error.code).toBe('SERVICE_UNAVAILABLE')
    expect(error.details['request_id']).toEqual(expect.stringMatching(/^req_/))
  })
})

const LEFT = 'the caller left in the middle of the answer'

describe('a reader of a streamed answer', () => {
  /** An edge whose application answers endlessly, as fast as it is read; `failure` is what it ends with then. */
  async function endless(bodyTimeoutMs: number, failure?: Error) {
    const heard = { pieces: 0, ended: Promise.withResolvers<unknown>() }
    const asking = {
      ...edge.application.ask,
      async ask(_context: unknown, _command: unknown, listener?: AnswerListener): Promise<never> {
        try {
          for (;;) {
            await listener!.delta('x'.repeat(10_000), { replayed: false })
            heard.pieces++
            await sleep(0)
          }
        } catch (error) {
          heard.ended.resolve(listener!.signal.aborted)
          throw failure ?? error
        }
      },
    }
    const application = { ...edge.application, ask: asking }
    return { heard, edge: await startEdge({ application, bodyTimeoutMs }) }
  }

  it('who leaves ends the work', async () => {
    const { heard, edge: slow } = await endless(60_000)
    await using _ = slow
    const leaving = new AbortController()
    const response = await slow.fetch('/v1/ai/query', {
      method: 'POST',
      json: { query: 'q', stream: true },
      signal: leaving.signal,
    })
    expect(response.status).toBe(200)
    leaving.abort()
    expect(await heard.ended.promise).toBe(true)
    await vi.waitFor(() => expect(slow.log.map(({ message }) => message)).toContain(LEFT), {
      timeout: 30_000,
    })
    expect(slow.log.filter(({ level }) => level !== 'info')).toEqual([])
  })

  it('who leaves does not hide what goes wrong then', async () => {
    const failure = new Error('the books do not balance')
    const { heard, edge: slow } = await endless(60_000, failure)
    await using _ = slow
    const leaving = new AbortController()
    const init = { method: 'POST', json: { query: 'q', stream: true }, signal: leaving.signal }
    expect((await slow.fetch('/v1/ai/query', init)).status).toBe(200)
    leaving.abort()
    await heard.ended.promise
    const logged = { level: 'error', fields: { err: failure, request_id: expect.stringMatching(/^req_/) } }
    await vi.waitFor(() => expect(slow.log).toContainEqual(expect.objectContaining(logged)), {
      timeout: 30_000,
    })
  })

  it('who takes nothing holds the work up, and after a while ends it', async () => {
    const { heard, edge: slow } = await endless(500)
    await using _ = slow
    const response = await slow.fetch('/v1/ai/query', { method: 'POST', json: { query: 'q', stream: true } })
    expect(response.status).toBe(200)
    // The body is not read: buffers fill, then no more is made.
    expect(await heard.ended.promise).toBe(true)
    const made = heard.pieces
    await sleep(50)
    expect(heard.pieces).toBe(made)
    await response.body?.cancel()
  })
})

describe('an analysis', () => {
  const form = (
    fields: [string, string][],
    name = 'note.txt',
    content: string | Uint8Array<ArrayBuffer> = 'wind',
  ) => {
    const body = new FormData()
    for (const [field, value] of fields) body.append(field, value)
    body.append('file', new Blob([content]), name)
    return body
  }
  const analyze = (body: FormData, headers: { [name: string]: string } = {}) =>
    edge.fetch('/v1/ai/analyze', { method: 'POST', body, headers })

  it('as json has its parts in both places', async () => {
    const { data, metadata } = await success(
      await analyze(
        form([
          ['query', 'What blew?'],
          ['response_format', 'json'],
          ['system_prompt', 'Be brief.'],
        ]),
      ),
      'analyzeFile',
    )
    const analysis = { summary: 'A note.', key_elements: ['wind'], relevant_details: 'It blew.' }
    const answer = {
      main_response: '“Wind.”',
      insights: [{ observation: 'a', analysis: 'b', implication: 'c' }],
      additional_considerations: 'None.',
    }
    expect(data).toEqual({
      media_info: {
        filename: 'note.txt',
        format: 'txt',
        media_type: 'document',
        processed_at: '2026-11-20T13:05:09.123Z',
        size: 4,
      },
      processing_info: {
        api_version: '1.0.0',
        context_id: 'ctx_00000000-0000-7000-8000-000000000077',
        model: 'fake-1',
        processing_time_ms: 12,
        status: 'success',
        cost: 0.0110001,
        balance: 9.9889999,
      },
      query_info: { query: 'What blew?', response_format: 'json', system_prompt: 'Be brief.' },
      analysis,
      answer,
      response: {
        content: { analysis, answer },
        format: 'json',
        generated_at: '2026-11-20T13:05:09.123Z',
      },
    })
    expect(metadata).toEqual({
      request_id: 'req_00000000-0000-7000-8000-000000000077',
      processing_time_ms: 12,
      summary: 'A note.',
    })
    expect(edge.staging.staged.size).toBe(0)
  })

  it('as text, the default, is one string with all of it', async () => {
    const { data } = await success(await analyze(form([['query', 'What blew?']])), 'analyzeFile')
    expect(data).not.toHaveProperty('analysis')
    expect(data).not.toHaveProperty('answer')
    expect(data.response.format).toBe('text')
    for (const part of ['A note.', '- wind', 'It blew.', '“Wind.”', '- a b c', 'None.'])
      expect(data.response.content).toContain(part)
  })

  it('reads the file as the given media type, and reports a replay', async () => {
    const response = await analyze(
      form([
        ['query', 'q'],
        ['media_type', 'image'],
      ]),
      { 'idempotency-key': 'again' },
    )
    const { data } = await success(response, 'analyzeFile')
    expect(data.media_info.media_type).toBe('image')
    expect(response.headers.get('idempotency-replayed')).toBe('true')
    expect(edge.fake.analyses[0]).toMatchObject({ mediaType: 'image', idempotencyKey: 'again' })
  })

  it('takes long questions', async () => {
    await success(await analyze(form([['query', 'why '.repeat(20_000)]])), 'analyzeFile')
    expect(edge.fake.analyses[0]!.query).toHaveLength(80_000)
  })

  it('takes files up to the limit that analysis has', async () => {
    const large = new Uint8Array(60_000)
    await success(await analyze(form([['query', 'q']], 'a.png', large)), 'analyzeFile')
    expect(
      await refusal(await analyze(form([['query', 'q']], 'a.png', new Uint8Array(60_001)))),
    ).toMatchObject({
      code: 'FILE_SIZE_EXCEEDED',
      details: { limit_bytes: 60_000 },
    })
    const upload = new FormData()
    upload.append('file', new Blob([large]), 'a.png')
    expect(await refusal(await edge.fetch('/v1/media', { method: 'POST', body: upload }))).toMatchObject({
      code: 'FILE_SIZE_EXCEEDED',
    })
  })

  const noFile = new FormData()
  noFile.append('query', 'q')
  it.each<[what: string, body: () => FormData, code: string, parameter?: string]>([
    ['no file', () => noFile, 'MISSING_FILE'],
    ['no query', () => form([]), 'MISSING_QUERY', 'query'],
    ['a blank query', () => form([['query', '  ']]), 'MISSING_QUERY', 'query'],
    ['an unknown format', () => form([['query', 'q']], 'a.xyz'), 'UNSUPPORTED_FILE_TYPE'],
    ['an empty file', () => form([['query', 'q']], 'a.txt', ''), 'CORRUPTED_FILE'],
    ['a file too large', () => form([['query', 'q']], 'a.txt', 'x'.repeat(100_001)), 'FILE_SIZE_EXCEEDED'],
    [
      'a bad response_format',
      () =>
        form([
          ['query', 'q'],
          ['response_format', 'xml'],
        ]),
      'INVALID_PARAMETER',
      'response_format',
    ],
    [
      'a bad media_type',
      () =>
        form([
          ['query', 'q'],
          ['media_type', 'pdf'],
        ]),
      'INVALID_PARAMETER',
      'media_type',
    ],
    [
      'an unknown field',
      () =>
        form([
          ['query', 'q'],
          ['stream', 'true'],
        ]),
      'INVALID_PARAMETER',
      'stream',
    ],
    [
      'a field twice',
      () =>
        form([
          ['query', 'q'],
          ['query', 'q'],
        ]),
      'INVALID_PARAMETER',
      'query',
    ],
    ['an endless field', () => form([['query', 'x'.repeat(300_000)]]), 'INVALID_PARAMETER', 'query'],
    ['NUL in the query', () => form([['query', 'a\0']]), 'INVALID_PARAMETER', 'query'],
  ])('with %s is refused, and nothing stays staged', async (_what, body, code, parameter) => {
    const refused = await refusal(await analyze(body()))
    expect(refused).toMatchObject({ status: 400, code, ...(parameter && { details: { parameter } }) })
    expect(edge.fake.analyses).toEqual([])
    expect(edge.staging.staged.size).toBe(0)
  })

  it.each([...FAILURES, [new UnreadableFile('encrypted', 'Locked.'), 400, 'ENCRYPTED_FILE'] as const])(
    'that fails with %s is answered %i',
    async (error, status, code) => {
      edge.fake.faults.set('ask.analyzeFile', error)
      expect(await refusal(await analyze(form([['query', 'q']])))).toMatchObject({ status, code })
    },
  )
})
