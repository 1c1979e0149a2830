import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export interface Received {
  method: string
  path: string
  query: URLSearchParams
  headers: NodeJS.Dict<string | string[]>
  bytes: Buffer
}

export interface Reply {
  status: number
  /** JSON, or a text as it is. */
  body: object | string
  headers?: { [name: string]: string }
}

/** What becomes of a request: an answer, one that breaks off in its middle, or a broken connection. */
export type Outcome = Reply | { breaksOff: string; headers?: Reply['headers'] } | 'broken'

export interface ScriptedServer {
  url: string
  requests: Received[]
  close(): Promise<void>
}

/** Answers as the script says, on a free port of this machine. */
export async function startScriptedServer(
  script: (request: Received, nth: number) => Outcome | Promise<Outcome>,
  port = 0,
): Promise<ScriptedServer> {
  const requests: Received[] = []
  async function handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname: path, searchParams: query } = new URL(message.url!, 'http://localhost')
    const request = {
      method: message.method!,
      path,
      query,
      headers: message.headers,
      bytes: await buffer(message),
    }
    const outcome = await script(request, requests.push(request))
    if (outcome === 'broken') return void message.socket.destroy()
    if ('breaksOff' in outcome) {
      response.writeHead(200, outcome.headers).write(outcome.breaksOff, () => message.socket.destroy())
      return
    }
    const { status, body, headers } = outcome
    const isText = typeof body === 'string'
    response.writeHead(status, {
      'content-type': isText ? 'text/event-stream' : 'application/json',
      ...headers,
    })
    response.end(isText ? body : JSON.stringify(body))
  }
  const server = createServer((message, response) => void handle(message, response).catch(() => {}))
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export const ok = (data: object, headers?: Reply['headers']): Reply => ({
  status: 200,
  body: { success: true, message: 'Done.', data },
  headers,
})

/** Shape A. */
export const refused = (
  status: number,
  code: string,
  details: object = {},
  headers?: Reply['headers'],
): Reply => ({
  status,
  body: { success: false, message: `It is ${code}.`, error: { code, details } },
  headers,
})
