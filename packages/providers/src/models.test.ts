import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openProviders } from './providers.ts'
import type { ModelReference, ProviderSettings } from './settings.ts'
import { extractionOf, offlineEnricher } from './testing/offline.ts'

const KEY = 'the-key'
const WRITTEN = JSON.stringify({
  summary: 'Written.',
  description: 'd',
  topics: ['t'],
  entities: { people: [], organizations: [], locations: [], objects: [], concepts: [] },
})

let server: Server
let url: string
// oxlint-disable-next-line typescript/no-explicit-any -- requests of every shape
let received: { path: string; headers: Record<string, unknown>; body: any }[]
let reply: unknown
beforeEach(async () => {
  received = []
  server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(async () => {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
})

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = ''
  for await (const piece of request) text += String(piece)
  received.push({ path: request.url!, headers: request.headers, body: JSON.parse(text) })
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply))
}

const open = (models: ProviderSettings['models'], provider: ModelReference['provider']) =>
  openProviders({
    models,
    access: { [provider]: { url, key: KEY } },
    timeoutMs: 30_000,
    retries: 0,
    callsAtOnce: 1,
    contextTokens: 4_000,
    tokensPerHour: null,
    accountTokensPerHour: null,
  })

const summaryBy = async (reference: ModelReference) => {
  const providers = open({ enrichment: reference }, reference.provider)
  const { summary } = await providers.enriching(offlineEnricher()).enrich(extractionOf('words'), 'a.txt')
  return { summary, tokens: providers.status()[0]!.calls.tokens }
}

test('Anthropic is asked in its own protocol', async () => {
  reply = {
    type: 'message',
    id: 'm',
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content: [{ type: 'text', text: WRITTEN }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 30, output_tokens: 12 },
  }
  expect(await summaryBy({ provider: 'anthropic', id: 'claude-sonnet-4-5' })).toEqual({
    summary: 'Written.',
    tokens: 42,
  })
  const [{ path, headers, body }] = received as [(typeof received)[0]]
  expect(path).toBe('/messages')
  expect(headers['x-api-key']).toBe(KEY)
  expect(body.model).toBe('claude-sonnet-4-5')
})

test('Google is asked in its own protocol, for texts and for vectors', async () => {
  reply = {
    candidates: [{ content: { role: 'model', parts: [{ text: WRITTEN }] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 30, candidatesTokenCount: 12, totalTokenCount: 42 },
  }
  expect(await summaryBy({ provider: 'google', id: 'gemini-2.5-flash' })).toEqual({
    summary: 'Written.',
    tokens: 42,
  })
  expect(received[0]!.path).toBe('/models/gemini-2.5-flash:generateContent')
  expect(received[0]!.headers['x-goog-api-key']).toBe(KEY)
  reply = { embeddings: [{ values: [3, 4] }, { values: [0, 2] }] }
  const embedding = {
    provider: 'google',
    id: 'gemini-embedding-001',
    dimensions: 2,
    cosineFloor: 0.2,
  } as const
  const vectors = await open({ embedding }, 'google').embedder!.embed(['a', 'b'])
  expect(vectors.map((vector) => [...vector])).toEqual([
    [expect.closeTo(0.6), expect.closeTo(0.8)],
    [0, 1],
  ])
  expect(received[1]!.path).toBe('/models/gemini-embedding-001:batchEmbedContents')
})
