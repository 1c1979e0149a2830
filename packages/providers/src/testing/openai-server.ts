import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** What goes wrong with one request. */
export type Fault =
  | { status: number; retryAfter?: string; body?: string }
  /** Takes the request and never answers. */
  | 'hang'
  /** Ends the connection in the middle of the answer. */
  | 'cut'
  /** Answers something that is no JSON, or none of the form that was asked for. */
  | 'bad-json'
  | 'other-json'
  /** Goes on for ever. */
  | 'endless'
  /** Vectors of another length, one too few, without a direction. */
  | 'other-dimensions'
  | 'too-few'
  | 'zeros'
  | { redirect: string }

export interface ReceivedRequest {
  path: string
  authorization: string | undefined
  /** Parsed JSON, or the fields of a form with sizes of files. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into requests of every shape
  body: any
}

export interface OpenAiServer {
  /** The base URL, with /v1. */
  url: string
  requests: ReceivedRequest[]
  /** Taken one a request, before anything else. */
  faults: Fault[]
  /** Of every request that finds no other. */
  alwaysFault: Fault | null
  /** What a chat says, given the request; JSON where a form is asked for, made from its schema unless this says. */
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  says: (body: any) => string | undefined
  dimensions: number
  transcript: string
  /** Of the transcript, where it says when each part of it was said. */
  segments: { text: string; start: number; end: number }[]
  /** How many requests are being answered, and the most there were at once. */
  load: { now: number; most: number }
  /** Answers wait for it. */
  gate: Promise<void>
  close(): Promise<void>
}

/** What Whisper says of each segment besides. */
const WHISPER_SEGMENT = {
  seek: 0,
  tokens: [],
  temperature: 0,
  avg_logprob: -0.1,
  compression_ratio: 1,
  no_speech_prob: 0,
}

/** A server on 127.0.0.1 that speaks OpenAI's protocol as far as it is used here, with faults. */
export async function startOpenAiServer(): Promise<OpenAiServer> {
  const server = createServer((request, response) => {
    answer(state, request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const state: OpenAiServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests: [],
    faults: [],
    alwaysFault: null,
    says: () => undefined,
    dimensions: 8,
    transcript: 'The harbour seal sleeps under water for twenty minutes.',
    segments: [],
    load: { now: 0, most: 0 },
    gate: Promise.resolve(),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return state
}

async function answer(
  state: OpenAiServer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { load } = state
  const body = await bodyOf(request)
  const path = request.url!
  state.requests.push({ path, authorization: request.headers.authorization, body })
  load.now++
  load.most = Math.max(load.most, load.now)
  response.once('close', () => load.now--)
  const fault = state.faults.shift() ?? state.alwaysFault
  await state.gate
  if (fault === 'hang') return
  if (fault !== null && typeof fault === 'object' && 'redirect' in fault) {
    response.writeHead(307, { location: fault.redirect }).end()
    return
  }
  if (fault !== null && typeof fault === 'object') {
    const { status, retryAfter, body: text = JSON.stringify({ error: { message: 'no', type: 'x' } }) } = fault
    const headers = { 'content-type': 'application/json', ...(retryAfter && { 'retry-after': retryAfter }) }
    response.writeHead(status, headers).end(text)
    return
  }
  if (path === '/v1/embeddings') return json(response, embeddings(state, body, fault))
  if (path === '/v1/audio/transcriptions')
    return json(response, {
      text: state.transcript,
      language: 'english',
      duration: 3.5,
      segments: state.segments.map((segment, id) => ({ ...WHISPER_SEGMENT, ...segment, id })),
    })
  if (body.stream) return stream(state, body, fault, response)
  const text = said(state, body, fault)
  const whole = JSON.stringify({
    id: 'chat-1',
    object: 'chat.completion',
    created: 1,
    model: body.model,
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: text } }],
    usage: { prompt_tokens: 70, completion_tokens: 30, total_tokens: 100 },
  })
  response.writeHead(200, { 'content-type': 'application/json' })
  if (fault !== 'cut') {
    response.end(whole)
    return
  }
  response.write(whole.slice(0, whole.length / 2))
  await sleep(20)
  response.destroy()
}

// oxlint-disable-next-line typescript/no-explicit-any -- as above
async function bodyOf(request: IncomingMessage): Promise<any> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  const bytes = Buffer.concat(pieces)
  const type = request.headers['content-type'] ?? ''
  if (type.includes('json')) return JSON.parse(bytes.toString())
  const form = await new Response(bytes, { headers: { 'content-type': type } }).formData()
  return Object.fromEntries(
    [...form].map(([name, value]) => [
      name,
      typeof value === 'string' ? value : { name: value.name, size: value.size },
    ]),
  )
}

function json(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

// oxlint-disable-next-line typescript/no-explicit-any -- as above
function said(state: OpenAiServer, body: any, fault: Fault | null): string {
  if (fault === 'bad-json') return 'I would rather not { put it'
  if (fault === 'other-json') return '{"poem": "roses"}'
  if (fault === 'endless') return 'word '.repeat(200_000)
  const schema = body.response_format?.json_schema?.schema
  return state.says(body) ?? (schema ? JSON.stringify(instanceOf(schema)) : 'The model says so [1].')
}

// oxlint-disable-next-line typescript/no-explicit-any -- a JSON schema
function instanceOf(schema: any): unknown {
  if (schema.type === 'object')
    return Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => [name, instanceOf(property)]),
    )
  return schema.type === 'array' ? [instanceOf(schema.items)] : 'Told by the model'
}

// oxlint-disable-next-line typescript/no-explicit-any -- as above
async function stream(state: OpenAiServer, body: any, fault: Fault | null, response: ServerResponse) {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = (value: unknown): boolean => response.write(`data: ${JSON.stringify(value)}\n\n`)
  const piece = (delta: object, finish_reason: string | null = null) =>
    send({
      id: 'chat-1',
      object: 'chat.completion.chunk',
      created: 1,
      model: body.model,
      choices: [{ index: 0, delta, finish_reason }],
    })
  piece({ role: 'assistant', content: '' })
  const words = said(state, body, fault).match(/\S+\s*/g) ?? []
  for (const [index, word] of words.entries()) {
    if (response.destroyed) return
    piece({ content: word })
    if (fault === 'cut' && index === 1) {
      await sleep(50)
      response.destroy()
      return
    }
    await sleep(fault === 'endless' ? 0 : 5)
  }
  piece({}, 'stop')
  send({
    id: 'chat-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: body.model,
    choices: [],
    usage: { prompt_tokens: 70, completion_tokens: 30, total_tokens: 100 },
  })
  response.end('data: [DONE]\n\n')
}

function embeddings(state: OpenAiServer, body: { input: string[] }, fault: Fault | null) {
  const dimensions = fault === 'other-dimensions' ? state.dimensions + 1 : state.dimensions
  const texts = fault === 'too-few' ? body.input.slice(1) : body.input
  return {
    object: 'list',
    data: texts.map((text, index) => ({
      object: 'embedding',
      index,
      embedding: fault === 'zeros' ? Array.from({ length: dimensions }, () => 0) : vectorOf(text, dimensions),
    })),
    usage: { prompt_tokens: 10 * texts.length, total_tokens: 10 * texts.length },
  }
}

/** Texts with words in common are near each other. */
export function vectorOf(text: string, dimensions: number): number[] {
  const vector = Array.from({ length: dimensions }, () => 0.01)
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    let hash = 7
    for (const sign of word) hash = (hash * 31 + sign.codePointAt(0)!) % 65_521
    vector[hash % dimensions]! += 3
  }
  return vector
}
