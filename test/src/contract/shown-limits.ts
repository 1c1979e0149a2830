import { UnreadableFile } from '@medialog/application'
import type { Tier } from '@medialog/domain'
import { expect } from 'vitest'
import type { Answer, Client } from '../harness/client.ts'
import { analyze } from './plain-requests.ts'
import type { LIMITS } from './specification.ts'
import { fixture, note, type Served } from './served.ts'
import { expectStatus } from '../harness/expect-status.ts'

/** How a row that is no single answer is shown, or why it cannot be. */
export type Shown = { how: string; check: (served: Served) => Promise<void> } | { cannot: string }
export const shown = (how: string, check: (served: Served) => Promise<void>): Shown => ({ how, check })

const MB = 1_000_000
const DAY_MS = 24 * 60 * 60 * 1000

export async function refused(answer: Promise<Answer>, code: string): Promise<void> {
  const { status, body } = await answer
  expect([status, body.error?.code ?? body.code], JSON.stringify(body).slice(0, 300)).toEqual([400, code])
}
export async function taken(answer: Promise<Answer>): Promise<Answer['body']> {
  const { status, body } = await answer
  expect(status, JSON.stringify(body).slice(0, 300)).toBe(200)
  return body
}

const move = ({ client, doc }: Served['main'], n: number) =>
  client.request('POST', '/v1/media/collections/standing/items', { json: { items: Array(n).fill(doc) } })
const deletion = (client: Client, n: number) =>
  client.request('DELETE', '/v1/media/batch', {
    json: { media_ids: Array.from({ length: n }, (_, i) => `doc_unknown-${i}`) },
  })
const search = (client: Client, json: object) =>
  client.request('POST', '/v1/search', { json: { query: 'ferry', ...json } })
const advanced = (client: Client, config: object) => search(client, { type: 'advanced', config })
const ask = (client: Client, json: object) =>
  client.request('POST', '/v1/ai/query', { json: { query: 'ferry', ...json } })

/** Both borders are taken, and what is just beyond them is refused. */
const within = (
  how: string,
  request: (client: Client, value: number) => Promise<Answer>,
  { taking, refusing, code = 'VALIDATION_ERROR' }: { taking: number[]; refusing: number[]; code?: string },
  defaults?: (client: Client) => Promise<void>,
): Shown =>
  shown(
    `${how}: ${taking.join(', ')} taken, ${refusing.join(', ')} refused`,
    async ({ main: { client } }) => {
      for (const value of taking) await taken(request(client, value))
      for (const value of refusing) await refused(request(client, value), code)
      await defaults?.(client)
    },
  )

/** A file of so many bytes that begins as its format does. */
function sized(head: Buffer | string, bytes: number): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(bytes)
  file.set(Buffer.from(head as string, 'latin1'))
  return file
}

const unread = () => {
  throw new UnreadableFile('corrupted', 'Not read, for this test.')
}

/** Of as many bytes as it may have a file is handed to its reader; with one more it is refused before. */
const fileSize = (filename: string, head: string, bytes: number): Shown =>
  shown(
    `a \`${filename}\` of ${bytes / MB} MB reaches its reader, one byte more is refused`,
    ({ faults, main }) =>
      faults.during('understanding.understand', unread, async () => {
        await refused(main.client.upload(filename, sized(head, bytes)), 'CORRUPTED_FILE')
        await refused(main.client.upload(filename, sized(head, bytes + 1)), 'FILE_SIZE_EXCEEDED')
      }),
  )

const PNG = '\x89PNG\r\n\x1a\n'
const WAV_RATE = 8000

/** Silence of so many seconds: 8 bits, mono. */
function silence(seconds: number): Uint8Array<ArrayBuffer> {
  const samples = seconds * WAV_RATE
  const file = Buffer.alloc(44 + samples, 128)
  file.write('RIFF', 0)
  file.writeUInt32LE(36 + samples, 4)
  file.write('WAVEfmt ', 8)
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(1, 22)
  file.writeUInt32LE(WAV_RATE, 24)
  file.writeUInt32LE(WAV_RATE, 28)
  file.writeUInt16LE(1, 32)
  file.writeUInt16LE(8, 34)
  file.write('data', 36)
  file.writeUInt32LE(samples, 40)
  return new Uint8Array(file)
}

/** The hundred pictures of the sample, shown so many seconds in all. */
async function lasting(seconds: number): Promise<Uint8Array<ArrayBuffer>> {
  const mp4 = await fixture('video/sample.mp4')
  const write = (box: string, offset: number, value: number) =>
    mp4.writeUInt32BE(value, mp4.indexOf(box) + 4 + offset)
  // The movie counts milliseconds.
  write('mvhd', 16, seconds * 1000)
  write('tkhd', 20, seconds * 1000)
  write('elst', 8, seconds * 1000)
  // Its pictures, the first track, count hundredths: of one each so many as the whole has seconds.
  write('mdhd', 12, 100)
  write('mdhd', 16, seconds * 100)
  write('stts', 12, seconds)
  return mp4
}

/** So many requests of an account of that tier are answered, and one more is refused. */
async function showRate({ openAccount }: Served, tier: Tier, most: number): Promise<void> {
  const { client } = await openAccount(0, tier)
  const request = () => client.request('GET', '/v1/media/collections')
  const started = Date.now()
  const answers = await Promise.all(Array.from({ length: most }, request))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(answers[0]!.headers.get('x-ratelimit-limit')).toBe(String(most))
  const { status } = await request()
  // Only on a machine that took the whole window for them may the next be answered.
  if (Date.now() - started < 60_000) expect(status).toBe(429)
}
/** With one vector less than its quota an account of that tier may store, with as many not; the usage says the same. */
async function showQuota({ openAccount, faults }: Served, tier: Tier, most: number): Promise<void> {
  const { client } = await openAccount(1, tier)
  const holding = (vectors: number) =>
    faults.during(
      'catalog.storage',
      async () => ({ vectors, bytes: 0 }),
      () => client.upload('one-more.txt', note()),
    )
  await taken(holding(most - 1))
  expect(await holding(most)).toMatchObject({ status: 403, body: { error: { code: 'QUOTA_EXCEEDED' } } })
  const { data } = await taken(client.request('GET', '/v1/usage'))
  expect(data.storage_usage.total.quota_limit).toBe(most)
}
const pages = (path: string, usual: number) =>
  within(
    '`page_size`',
    async (client, size) => client.request('GET', `${path}?page_size=${size}`),
    {
      taking: [1, 100],
      refusing: [0, 101],
      code: path.includes('batches') ? 'validation_error' : 'INVALID_PARAMETER',
    },
    async (client) => {
      const { body } = await client.request('GET', path)
      expect(body.data.pagination.page_size).toBe(usual)
    },
  )

export const SHOWN_LIMITS: Record<(typeof LIMITS)[number], Shown> = {
  'items per add-to-collection: 1000': shown('1000 taken, 1001 refused', async ({ main }) => {
    await taken(move(main, 1000))
    await refused(move(main, 1001), 'BATCH_SIZE_EXCEEDED')
  }),
  'media ids per batch delete: 100': within('ids', deletion, {
    taking: [1, 100],
    refusing: [101],
    code: 'BATCH_TOO_LARGE',
  }),
  'files per batch: 25': shown('25 files taken, 26 refused', async ({ main }) => {
    const text = note()
    const files = Array.from({ length: 26 }, (_, i) => ({ filename: `${i}.txt`, bytes: text }))
    await taken(main.client.batch(files.slice(1)))
    await refused(main.client.batch(files), 'validation_error')
  }),
  'bytes per batch: 100 MB': shown('100 000 000 bytes taken, one more refused', ({ faults, main }) =>
    faults.during('understanding.understand', unread, async () => {
      const halves = (last: number) => [
        { filename: 'a.wav', bytes: sized('RIFF\0\0\0\0WAVE', 50 * MB) },
        { filename: 'b.glb', bytes: sized('glTF', 40 * MB) },
        { filename: 'c.glb', bytes: sized('glTF', last) },
      ]
      await taken(main.client.batch(halves(10 * MB)))
      await refused(main.client.batch(halves(10 * MB + 1)), 'validation_error')
    }),
  ),
  'batch_name: 1 to 200 characters': within(
    'length',
    (client, length) =>
      client.batch([{ filename: 'a.txt', bytes: 'Named.' }], {
        batch_options: JSON.stringify({ batch_name: 'n'.repeat(length) }),
      }),
    { taking: [1, 200], refusing: [0, 201], code: 'validation_error' },
  ),
  'page_size of the list: 1 to 100, default 20': pages('/v1/media', 20),
  'page_size of batch results: 1 to 100, default 100': shown(
    '`page_size`: 1, 100 taken, 0, 101 refused',
    async ({ main: { client, batch } }) => {
      const results = (query: string) => client.request('GET', `/v1/batches/${batch}/results${query}`)
      for (const size of [1, 100]) await taken(results(`?page_size=${size}`))
      for (const size of [0, 101]) await refused(results(`?page_size=${size}`), 'validation_error')
      expect((await results('')).body.data.pagination.page_size).toBe(100)
    },
  ),
  'temperature: 0.0 to 1.0, default 0.7': within(
    '`temperature`',
    (client, temperature) => ask(client, { temperature }),
    { taking: [0, 1], refusing: [-0.1, 1.1] },
    async (client) => expect((await ask(client, {})).body.data.request.temperature).toBe(0.7),
  ),
  'max_tokens: 1 to 4096, default 1024': within(
    '`max_tokens`',
    (client, max_tokens) => ask(client, { max_tokens }),
    { taking: [1, 4096], refusing: [0, 4097] },
    async (client) => expect((await ask(client, {})).body.data.request.max_tokens).toBe(1024),
  ),
  'input tokens: 100,000': shown(
    'query and context of 100 000 tokens answered, of 100 001 refused; a query alone of 99 000 answered',
    async (served) => {
      const { client } = await served.openAccount(1)
      await taken(ask(client, { query: 'wind', context: 'wind '.repeat(99_999) }))
      await taken(ask(client, { query: 'wind '.repeat(99_000) }))
      await refused(ask(client, { query: 'wind', context: 'wind '.repeat(100_000) }), 'INPUT_TOO_LARGE')
    },
  ),
  'output tokens: at most max_tokens': shown('an answer with `max_tokens` 4', async ({ main }) => {
    const { data } = await taken(ask(main.client, { query: 'When does the ferry leave?', max_tokens: 4 }))
    expect(data.billing.usage.response_tokens).toBeLessThanOrEqual(4)
  }),
  'search query: 1 to 10 000 characters': within(
    'length',
    (client, length) => search(client, { query: 'a'.repeat(length) }),
    { taking: [1, 10_000], refusing: [0, 10_001] },
  ),
  'max_results: 1 to 100, default 10': within(
    '`max_results`',
    (client, max_results) => search(client, { max_results }),
    { taking: [1, 100], refusing: [0, 101] },
    async (client) => {
      const { body } = await search(client, { query: 'note ferry', collections: 'all' })
      expect(body.data.meta.stats.total_results).toBeGreaterThan(10)
      expect(body.data.results).toHaveLength(10)
    },
  ),
  'min_score: 0.0 to 1.0, default 0': within(
    '`min_score`',
    (client, min_score) => search(client, { min_score }),
    { taking: [0, 1], refusing: [-0.1, 1.1] },
    async (client) => {
      const totals = [{}, { min_score: 0 }].map(
        async (json) => (await search(client, json)).body.data.meta.stats,
      )
      const [usual, zero] = await Promise.all(totals)
      expect(usual.total_results).toBe(zero.total_results)
    },
  ),
  'context_depth: 0 to 5, default 1': within(
    '`context_depth`',
    (client, context_depth) => advanced(client, { context_depth }),
    { taking: [0, 5], refusing: [-1, 6] },
    async (client) => {
      const { body } = await advanced(client, {})
      expect(body.data.meta.cost.depth_reached).toBeLessThanOrEqual(1)
    },
  ),
  'expansion_factor: 1 to 10, default 2': within(
    '`expansion_factor`',
    (client, expansion_factor) => advanced(client, { expansion_factor }),
    { taking: [1, 10], refusing: [0.9, 10.1] },
    async (client) => {
      const found = [{}, { expansion_factor: 2 }].map(async (config) => (await advanced(client, config)).body)
      const [usual, two] = await Promise.all(found)
      expect(usual.data.results).toEqual(two.data.results)
    },
  ),
  'lexical_weight: 0.0 to 1.0, default 0.35': within(
    '`lexical_weight`',
    (client, lexical_weight) => search(client, { config: { lexical_weight } }),
    { taking: [0, 1], refusing: [-0.1, 1.1] },
    async (client) => {
      const found = [{}, { lexical_weight: 0.35 }].map(
        async (config) => (await search(client, { config })).body,
      )
      const [usual, said] = await Promise.all(found)
      expect(usual.data.results).toEqual(said.data.results)
    },
  ),
  'collection id: 1 to 64 characters, `all` reserved': shown(
    'lengths 1, 64 not found, 65 and `all` refused',
    async ({ main: { client } }) => {
      const read = (id: string) => client.request('GET', `/v1/media/collections/${id}`)
      for (const length of [1, 64]) expectStatus(await read('c'.repeat(length)), 404)
      for (const id of ['c'.repeat(65), 'all', 'ALL', '-c']) await refused(read(id), 'VALIDATION_ERROR')
    },
  ),
  'file name: 255 bytes': shown('a name of 255 bytes is kept, of 256 cut', async ({ main: { client } }) => {
    for (const [stem, kept] of [
      ['n'.repeat(251), 'n'.repeat(251)],
      ['m'.repeat(252), 'm'.repeat(251)],
    ] as const) {
      const { data } = await taken(client.upload(`${stem}.txt`, note()))
      expect(data.file_details.filename).toBe(`${kept}.txt`)
    }
  }),
  'Idempotency-Key: 1 to 255 characters': shown('1, 255 taken, 256 refused', async ({ main }) => {
    const under = (key: string) =>
      main.client.request('POST', '/v1/search/similar', {
        json: { media_id: main.doc },
        headers: { 'idempotency-key': key },
      })
    for (const length of [1, 255]) await taken(under('k'.repeat(length)))
    await refused(under('k'.repeat(256)), 'VALIDATION_ERROR')
  }),
  'usage window: the last 7 days by default': shown('`time_range` of a plain request', async ({ main }) => {
    const { metadata } = await taken(main.client.request('GET', '/v1/usage'))
    const { start, end, group_by: groupBy } = metadata.time_range
    expect([Date.parse(end) - Date.parse(start), groupBy, metadata.detailed]).toEqual([
      7 * DAY_MS,
      'day',
      false,
    ])
  }),
  'usage: the last 50 transactions': shown('51 credits', async (served) => {
    const { accountId, client } = await served.openAccount(0)
    for (let credit = 1; credit <= 51; credit++)
      await served.operator.request('POST', `/admin/accounts/${accountId}/credits`, {
        json: { amount: credit },
      })
    const { data } = await taken(client.request('GET', '/v1/usage?detailed=true'))
    const { recent_transactions: recent } = data.detailed_metrics
    expect([recent.length, recent[0].amount, recent[49].amount]).toEqual([50, 51, 2])
  }),
  'file size, document: 20 MB': fileSize('a.pdf', '%PDF-1.7', 20 * MB),
  'file size, image: 20 MB': fileSize('a.png', PNG, 20 * MB),
  'file size, image in analysis: 50 MB': shown(
    'an `a.png` of 50 MB reaches its reader, one byte more is refused',
    ({ faults, main }) =>
      faults.during('understanding.read', unread, async () => {
        const of = (bytes: number) =>
          analyze(main.client, { query: 'What is it?' }, { filename: 'a.png', bytes: sized(PNG, bytes) })
        await refused(of(50 * MB), 'CORRUPTED_FILE')
        await refused(of(50 * MB + 1), 'FILE_SIZE_EXCEEDED')
      }),
  ),
  'file size, audio: 50 MB': fileSize('a.wav', 'RIFF\0\0\0\0WAVE', 50 * MB),
  'file size, model: 50 MB': fileSize('a.glb', 'glTF', 50 * MB),
  'file size, video: 100 MB': fileSize('a.avi', 'RIFF\0\0\0\0AVI ', 100 * MB),
  'audio: 10 minutes': shown('silence of 600 s is stored, of 601 s refused', async ({ main: { client } }) => {
    await taken(client.upload('ten-minutes.wav', silence(600)))
    await refused(client.upload('longer.wav', silence(601)), 'FILE_SIZE_EXCEEDED')
  }),
  'video: 10 minutes': shown('a video of 600 s is stored, of 601 s refused', async ({ main: { client } }) => {
    const { data } = await taken(client.upload('ten-minutes.mp4', await lasting(600)))
    expect(data.file_details.duration).toBe(600)
    await refused(client.upload('longer.mp4', await lasting(601)), 'FILE_SIZE_EXCEEDED')
  }),
  'requests a minute: free 60': shown('60 requests answered, the next refused', (served) =>
    showRate(served, 'free', 60),
  ),
  'requests a minute: standard 600, enterprise 6000': shown(
    '600 requests answered, the next refused; `X-RateLimit-Limit` of enterprise',
    async (served) => {
      await showRate(served, 'standard', 600)
      const { client } = await served.openAccount(0, 'enterprise')
      const { headers } = await client.request('GET', '/v1/media')
      expect(headers.get('x-ratelimit-limit')).toBe('6000')
    },
  ),
  'quota in vectors: free 10 000': shown(
    'with 9 999 vectors in `catalog.storage` an upload is stored, with 10 000 refused',
    (served) => showQuota(served, 'free', 10_000),
  ),
  'quota in vectors: standard 1 000 000, enterprise 100 000 000': shown(
    'the same with 999 999 and 1 000 000, and with 99 999 999 and 100 000 000',
    async (served) => {
      await showQuota(served, 'standard', 1_000_000)
      await showQuota(served, 'enterprise', 100_000_000)
    },
  ),
}
