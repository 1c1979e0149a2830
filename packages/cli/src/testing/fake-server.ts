import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { makeFakeService } from './fake-service.ts'
import type { Received, Reply } from './wire.ts'

/** An event by its name, or an operation as it is. */
type Sent = { event?: string; data?: object; [field: string]: unknown }

/** Answers instead of the service where it has something to say; null leaves it to the service. */
export type Interception = (request: Received) => Reply | null | Promise<Reply | null>

export interface FakeServer {
  url: string
  requests: Received[]
  /** Uploads that broke off before they were wholly sent. */
  brokenOff(): number
  /** Bytes of bodies that came in so far, whether or not they were complete. */
  bytesIn(): number
  /** Asked before the service is; the last one set counts. */
  intercept(interception: Interception): void
  close(): Promise<void>
}

/** The fake service over HTTP, on a free port of this machine. */
export async function startFakeServer(): Promise<FakeServer> {
  const service = makeFakeService()
  const requests: Received[] = []
  let intercept: Interception = () => null
  let brokenOff = 0
  let bytesIn = 0

  async function handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    message.on('data', (chunk: Buffer) => (bytesIn += chunk.length))
    const request = await receive(message).catch(() => null)
    if (!request) return void brokenOff++
    requests.push(request)
    const reply = (await intercept(request)) ?? service.answer(request)
    const headers = { 'content-type': 'application/json', 'x-request-id': 'req_1', ...reply.headers }
    response.writeHead(reply.status, headers)
    if (Array.isArray(reply.body)) {
      for (const { event = 'operation', data, ...operation } of reply.body as Sent[])
        response.write(`event: ${event}\ndata: ${JSON.stringify(data ?? operation)}\n\n`)
      response.end()
    } else response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body))
  }

  const server = createServer((message, response) => void handle(message, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    brokenOff: () => brokenOff,
    bytesIn: () => bytesIn,
    intercept: (interception) => (intercept = interception),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function receive(message: IncomingMessage): Promise<Received> {
  const { pathname: path, searchParams: query } = new URL(message.url!, 'http://localhost')
  const { method, headers } = message
  const bytes = await buffer(message)
  const received: Received = { method: method!, path, query, headers, body: {} }
  const type = headers['content-type'] ?? ''
  if (type.startsWith('application/json'))
    return { ...received, body: JSON.parse(bytes.toString()) as Received['body'] }
  if (!type.startsWith('multipart/')) return received
  const form = await new Response(bytes, { headers: { 'content-type': type } }).formData()
  for (const [name, value] of form)
    if (typeof value === 'string') received.body[name] = value
    else (received.files ??= []).push({ filename: value.name, bytes: Buffer.from(await value.arrayBuffer()) })
  if (received.files) received.file = received.files[0]
  return received
}
