import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'

export interface Received {
  id: string
  type: string
  subject: string
  /** Milliseconds since the epoch. */
  at: number
  headers: { [name: string]: string }
  body: string
}

type Answer = (response: ServerResponse, received: Received, request: IncomingMessage) => void

/** Somebody's own server to which webhooks are sent: keeps what it gets, and answers as configured. */
export interface Receiver extends AsyncDisposable {
  url: string
  received: Received[]
  /** How it answers from now on; 204 unless told. */
  answers: (answer: Answer) => void
}

export const status =
  (code: number, headers: { [name: string]: string } = {}): Answer =>
  (response) =>
    response.writeHead(code, headers).end()

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  let answer: Answer = status(204)
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const { id, type, subject = '' } = JSON.parse(body) as { [name: string]: string }
      const headers = request.headers as { [name: string]: string }
      const one = { id: id!, type: type!, subject, at: Date.now(), headers, body }
      received.push(one)
      answer(response, one, request)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answers: (next) => {
      answer = next
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** As a receiver verifies it, with the library of the specification. @throws where the signature is another one */
export const verified = (secret: string, { body, headers }: Received): unknown =>
  new Webhook(secret).verify(body, headers)
