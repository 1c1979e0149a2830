import { readFile } from 'node:fs/promises'
import { startOpenAiServer, type OpenAiServer } from '@medialog/providers/testing/openai-server'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { asAccount, type Client } from '../harness/client.ts'
import { startServer, temporaryDataFolder, type RunningServer } from '../harness/server.ts'
import { expectStatus } from '../harness/expect-status.ts'

/** What is waited for is a condition. */
const LONG = { timeout: 30_000, interval: 10 }

const KEY = 'sk-e2e-0123456789'
const fixture = (name: string) => readFile(new URL(`../../fixtures/${name}`, import.meta.url))

/** A service whose models are all on one server. */
function useProvider(models: Record<string, string>) {
  let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
  let provider: OpenAiServer
  let running: RunningServer
  let client: Client
  let apiKey: string
  const environment = (): Record<string, string> => ({
    MEDIALOG_LOG_LEVEL: 'debug',
    MEDIALOG_PROVIDER_URL: provider.url,
    MEDIALOG_PROVIDER_KEY: KEY,
    MEDIALOG_PROVIDER_RETRIES: '0',
    // Nothing of this machine's own may be asked.
    OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
    ...models,
  })
  beforeAll(async () => {
    folder = await temporaryDataFolder()
    provider = await startOpenAiServer()
    provider.dimensions = 64
    running = await startServer({ dataFolder: folder.path, env: environment() })
    // Only the first start of a folder says it.
    apiKey = running.apiKey!
    client = asAccount(running.url, apiKey)
  })
  beforeEach(() => {
    provider.requests.length = 0
    provider.faults.length = 0
    provider.alwaysFault = null
    provider.says = () => undefined
  })
  afterAll(async () => {
    await running.stop()
    await provider.close()
    await folder.remove()
  })
  return {
    get provider() {
      return provider
    },
    get running() {
      return running
    },
    get client() {
      return client
    },
    async restart(env: Record<string, string>) {
      await running.stop()
      running = await startServer({ dataFolder: folder.path, env })
      client = asAccount(running.url, apiKey)
    },
  }
}

const balanceOf = async (client: Client): Promise<number> =>
  (await client.request('GET', '/v1/usage')).body.data.account_info.balance

const itemOf = async (client: Client, id: string) =>
  (await client.request('GET', `/v1/media/${id}?include_chunks=true`)).body.data

describe('with models that write, see and hear', () => {
  const it = useProvider({
    MEDIALOG_ANSWER_MODEL: 'compatible:writer',
    MEDIALOG_ENRICHMENT_MODEL: 'compatible:writer',
    MEDIALOG_VISION_MODEL: 'compatible:seer',
    MEDIALOG_TRANSCRIPTION_MODEL: 'compatible:hearer',
  })

  test('a text is summarised, a picture is described, a recording is written down, and all are found by it', async () => {
    it.provider.says = ({ model, response_format }) => {
      if (model === 'seer')
        return JSON.stringify({
          description: 'A lighthouse above stormy waves.',
          scene_type: 'coast',
          visual_elements: ['lighthouse', 'waves'],
        })
      return response_format && undefined
    }
    const text = await it.client.upload('gertie.txt', await fixture('demo/galloping-gertie.txt'))
    expect(text.body.data).toMatchObject({
      content_summary: { summary: 'Told by the model', topics: ['Told by the model'] },
      processing: {
        models: { enrichment: expect.stringMatching(/^compatible:writer \+ medialog-offline-\d+$/) },
        warnings: [],
      },
    })
    const picture = await it.client.upload('p.jpg', await fixture('images/sample.jpg'))
    const seen = await itemOf(it.client, picture.body.data.media_id)
    expect(seen.metadata).toMatchObject({
      processing: { models: { vision: 'compatible:seer' } },
      modality: {
        visual_attributes: {
          description: 'A lighthouse above stormy waves.',
          scene_type: 'coast',
          visual_elements: ['lighthouse', 'waves'],
        },
      },
    })
    const recording = await it.client.upload('r.mp3', await fixture('audio/sample.mp3'))
    const heard = await itemOf(it.client, recording.body.data.media_id)
    expect(heard.metadata.processing.models.transcription).toBe('compatible:hearer')
    expect(heard.content).toMatchObject({ text: it.provider.transcript, transcript: it.provider.transcript })
    it.provider.segments = [{ text: it.provider.transcript, start: 1, end: 4.5 }]
    const timed = await it.client.upload('t.wav', await fixture('audio/sample.wav'))
    const { segments } = (await itemOf(it.client, timed.body.data.media_id)).content
    expect(segments).toEqual([{ start: 1, end: 4.5, text: it.provider.transcript }])
    await it.client.request('DELETE', `/v1/media/${timed.body.data.media_id}`)
    const similar = await it.client.request('POST', '/v1/search/similar', {
      json: { media_id: seen.media_id, include_reference: true },
    })
    expect(similar.body.data.results[0].metadata.modality_metadata.visual).toMatchObject({
      scene_type: 'coast',
      visual_elements: expect.arrayContaining(['lighthouse', 'waves']),
    })
    for (const [query, id] of [
      ['lighthouse in a storm', seen.media_id],
      ['seal asleep under water', heard.media_id],
    ]) {
      const { results } = (await it.client.request('POST', '/v1/search', { json: { query } })).body.data
      expect(results[0].media_id).toBe(id)
    }
  })

  test('an answer is the model’s, with its sources; a stream is the same piece by piece', async () => {
    it.provider.says = () => 'It fell in 1940 [1].'
    const query = 'When did the bridge fall?'
    const { body } = await it.client.request('POST', '/v1/ai/query', { json: { query } })
    expect(body.data.response).toBe('It fell in 1940 [1].')
    expect(body.data.sources).toHaveLength(1)
    expect(body.metadata.model).toBe('compatible:writer')
    expect(body.data.request.disclaimer).toContain('language model')
    const stream = await it.client.request('POST', '/v1/ai/query', { json: { query, stream: true } })
    expect(stream.body.match(/event: delta/g).length).toBeGreaterThan(2)
    expect(stream.body).toContain('"model":"compatible:writer"')
  })

  test('a stream that is cut ends with an error, and costs nothing', async () => {
    const before = await balanceOf(it.client)
    it.provider.faults.push('cut')
    it.provider.says = () => 'one two three four five'
    const { status, body } = await it.client.request('POST', '/v1/ai/query', {
      json: { query: 'When did the bridge fall?', stream: true },
    })
    expect(status).toBe(200)
    expect(body).toContain('event: delta')
    expect(body).toMatch(/event: error\ndata: .*SERVICE_UNAVAILABLE/)
    expect(body).not.toContain('event: done')
    expect(await balanceOf(it.client)).toBe(before)
  })

  test('an analysis is the model’s', async () => {
    const form = new FormData()
    form.set('query', 'What is it?')
    form.set('response_format', 'json')
    form.set('file', new Blob(['The machine weighs forty tons.']), 'machine.txt')
    const { body } = await it.client.request('POST', '/v1/ai/analyze', { form })
    expect(body.data.answer.main_response).toBe('Told by the model')
    expect(body.data.processing_info.model).toBe('compatible:writer')
  })

  test('a provider that dies: everything goes on offline and says so, in items, answers, status and metrics', async () => {
    it.provider.alwaysFault = { status: 500, body: `{"error":{"message":"key ${KEY} in region x"}}` }
    const before = await balanceOf(it.client)
    const uploaded = await it.client.upload('whales.md', await fixture('demo/whales-asleep.md'))
    expectStatus(uploaded, 200)
    expect(uploaded.body.data.content_summary.summary).not.toBe('')
    expect(uploaded.body.data.processing).toEqual({
      models: { enrichment: expect.stringMatching(/^medialog-offline-\d+$/) },
      warnings: ['Summary, topics and entities were made offline. The model provider failed (500).'],
    })
    expect((await itemOf(it.client, uploaded.body.data.media_id)).metadata.processing).toEqual(
      uploaded.body.data.processing,
    )
    for (const [name, warning] of [
      ['images/sample.png', 'The picture was not described. The model provider failed (500).'],
      ['audio/sample.wav', 'The provider did not write down what is said. The model provider failed (500).'],
    ] as const) {
      const { body } = await it.client.upload(name.slice(name.indexOf('/') + 1), await fixture(name))
      expect(body.data.processing.warnings).toContain(warning)
    }
    // By the model in the box then.
    const speech = await it.client.upload('speech.ogg', await fixture('audio/speech.ogg'))
    expect((await itemOf(it.client, speech.body.data.media_id)).content.transcript).toContain('John Dashwood')
    expect(speech.body.data.processing.models.transcription).toBe('whisper-base')
    expect(await balanceOf(it.client)).toBeCloseTo(before - 0.16, 9)
    const asked = { query: 'How do whales sleep?' }
    // Each call counts, until the breaker opens and the next is not made.
    const { data } = await vi.waitFor(async () => {
      const { body } = await it.client.request('POST', '/v1/ai/query', { json: asked })
      expect(body.metadata.model).toBe('medialog-extractive-1')
      expect(body.data.request.disclaimer).toMatch(/^The model provider failed .*Made offline/)
      const { body: status } = await it.client.request('GET', '/v1/status')
      expect(status.data.providers).toContainEqual({
        use: 'answers',
        model: 'compatible:writer',
        breaker: 'open',
        trouble: 'The model provider failed repeatedly and is not asked for a while.',
      })
      return status
    }, LONG)
    expect(data.status).toBe('degraded')
    const metrics = await fetch(`${it.running.url}/metrics`, {
      headers: { authorization: `Bearer ${it.running.operatorToken}` },
    })
    const measured = await metrics.text()
    expect(measured).toContain('medialog_provider_breaker_open{use="answers",model="compatible:writer"} 1')
    expect(measured).toMatch(
      /medialog_provider_calls_total\{use="vision",model="compatible:seer",outcome="failed"\} [1-9]/,
    )
  })

  test('neither key nor content is in the log', () => {
    expect(it.running.errors()).toContain('made without the model provider')
    for (const secret of [KEY, 'Told by the model', 'lighthouse', 'bridge fall'])
      expect(it.running.errors()).not.toContain(secret)
  })
})

describe('with an embedding model', () => {
  const embedding = { MEDIALOG_EMBEDDING_MODEL: 'compatible:vectors', MEDIALOG_EMBEDDING_DIMENSIONS: '64' }
  const it = useProvider(embedding)

  test('items have its vectors and are found by them', async () => {
    const { body } = await it.client.upload('kimchi.txt', await fixture('demo/kimchi.txt'), {
      include_vectors: 'true',
    })
    expect(body.data.vectors).toMatchObject({ model: 'compatible:vectors/64', dimensions: 64 })
    expect(body.data.vectors.combined).toHaveLength(64)
    const { results } = (
      await it.client.request('POST', '/v1/search', {
        json: { query: 'garlic and cabbage', config: { lexical_weight: 0 } },
      })
    ).body.data
    expect(results[0].media_id).toBe(body.data.media_id)
  })

  test('nothing stands in for it: uploads and searches are refused, and refunded', async () => {
    it.provider.alwaysFault = { status: 503 }
    const before = await balanceOf(it.client)
    const uploaded = await it.client.upload('whales.md', await fixture('demo/whales-asleep.md'))
    expect(uploaded).toMatchObject({ status: 503, body: { error: { code: 'SERVICE_UNAVAILABLE' } } })
    expect(uploaded.headers.get('retry-after')).toMatch(/^\d+$/)
    const searched = await it.client.request('POST', '/v1/search', { json: { query: 'never asked before' } })
    expectStatus(searched, 503)
    expect(await balanceOf(it.client)).toBe(before)
    it.provider.alwaysFault = null
    expectStatus(await it.client.upload('whales.md', await fixture('demo/whales-asleep.md')), 200)
  })

  test('vectors of another one are not compared: what has them is found by its words', async () => {
    await it.restart({})
    const search = async (query: string, lexical_weight: number) =>
      (await it.client.request('POST', '/v1/search', { json: { query, config: { lexical_weight } } })).body
        .data.results
    expect(await search('garlic and cabbage', 0)).toEqual([])
    expect((await search('garlic and cabbage', 0.35))[0].metadata.file_info.filename).toBe('kimchi.txt')
  })

  test('named as the former one it finds what it made, by meaning', async () => {
    await it.restart({
      MEDIALOG_PROVIDER_URL: it.provider.url,
      MEDIALOG_FORMER_EMBEDDING_MODEL: 'compatible:vectors',
      MEDIALOG_FORMER_EMBEDDING_DIMENSIONS: '64',
    })
    const { body } = await it.client.request('POST', '/v1/search', {
      json: { query: 'garlic and cabbage', config: { lexical_weight: 0 } },
    })
    expect(body.data.results[0].metadata.file_info.filename).toBe('kimchi.txt')
  })
})
