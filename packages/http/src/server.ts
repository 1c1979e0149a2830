import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { routes, type ErrorCode, type RouteContract } from '@medialog/contract/http'
import { JSON_TYPE } from './answers/json.ts'
import type { HttpApp } from './app.ts'
import { boundUrl } from './bound-url.ts'
import { mostConnections } from './most-connections.ts'

export interface RunningHttpServer {
  /** `http://127.0.0.1:8080` */
  url: string
  address: AddressInfo
  /**
   * Takes no more requests, lets those that run finish for at most `graceMs`, then gives up their files, answers that for
   * some seconds, and closes what is left.
   */
  close(graceMs: number): Promise<void>
}

/** Longest wait for a request's head, and for all of it: a slow sender is let go. */
const HEAD_TIMEOUT_MS = 15_000
const REQUEST_TIMEOUT_MS = 15 * 60_000
/** Longer than the usual 60 s of load balancers, which must be the first to close. */
const KEEP_ALIVE_MS = 65_000

/**
 * While the server closes, a connection may be for so long without a request: what a client opened ahead, or has sent the
 * head of in part. Node counts it as active, and closing would wait for it.
 */
const HEAD_GRACE_MS = 500

/** How long what was given up is refunded and answered. */
const LAST_ANSWERS_MS = 5_000

export type Listened = Pick<HttpApp, 'callback'> & Partial<Pick<HttpApp, 'endStreams' | 'giveUpFiles'>>

export interface Listening {
  host: string
  port: number
  /** The descriptor of a socket that listens already, which stays when this one is closed; in place of host and port. */
  held?: number | null
  /** Connections at once: `mostConnections()` unless told. */
  most?: number
  /** A connection was closed unanswered, since there were so many. */
  onRefused?: () => void
}

/** Serves the app on one address. @throws when the address cannot be listened on */
export async function startHttpServer(
  app: Listened,
  { host, port, held = null, most = mostConnections(), onRefused }: Listening,
): Promise<RunningHttpServer> {
  const callback = app.callback()
  const server = createServer({
    headersTimeout: HEAD_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: 5_000,
    // Most requests have no body: what Node would do for the stream of one is a twentieth of reading an item.
    optimizeEmptyRequests: true,
    // Refused below, in the shape of every other refusal.
    requireHostHeader: false,
  })
  let closing = false
  const open = new Set<Socket>()
  const underWay = new Set<ServerResponse>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    underWay.add(response)
    response.once('close', () => underWay.delete(response))
    if (closing) response.setHeader('Connection', 'close')
    const hosts = hostHeaders(request)
    if (hosts === 0 && request.httpVersion === '1.1')
      refuse(response, 400, 'INVALID_PARAMETER', 'An HTTP/1.1 request needs a Host header.')
    else if (hosts > 1) refuse(response, 400, 'INVALID_PARAMETER', 'A request has one Host header, not more.')
    else void callback(request, response)
  }
  server.on('request', answer)
  // The body's reader says `100 Continue`, once nothing speaks against reading it.
  server.on('checkContinue', answer)
  server.on('checkExpectation', (_request, response: ServerResponse) =>
    refuse(response, 417, 'INVALID_PARAMETER', 'Only Expect: 100-continue is understood.'),
  )
  server.on('connect', (_request, socket: Duplex) => {
    // Node lets go of the connection here: this code must close it, and handle a client that breaks it off.
    socket.on('error', () => {}).once('finish', () => socket.destroy())
    refuseRaw(socket, 405, 'METHOD_NOT_ALLOWED', 'CONNECT is for proxies: this is an origin server.')
  })
  server.on('clientError', answerMalformed)
  if (Number.isFinite(most)) server.maxConnections = most
  server.on('drop', () => {
    // Connections without a request make room.
    server.closeIdleConnections()
    onRefused?.()
  })
  await listen(server, held === null ? { host, port } : { fd: held })
  const bound = server.address() as AddressInfo
  return {
    url: boundUrl(bound),
    address: bound,
    async close(graceMs) {
      closing = true
      app.endStreams?.()
      await closeServer(server, graceMs, {
        closeUnused() {
          const used = new Set([...underWay].map(({ req }) => req.socket))
          for (const socket of open) if (!used.has(socket)) socket.destroy()
        },
        giveUp: () => app.giveUpFiles?.(),
      })
    },
  }
}

/** Node keeps the first of several in `headers`; a proxy in front may have gone by another. */
function hostHeaders({ rawHeaders }: IncomingMessage): number {
  let found = 0
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]!.length === 4 && rawHeaders[index]!.toLowerCase() === 'host') found++
  return found
}

function listen(server: Server, at: { host: string; port: number } | { fd: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(at, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

interface Closing {
  /** Closes the connections without a request under way. */
  closeUnused: () => void
  giveUp: () => void
}

async function closeServer(server: Server, graceMs: number, { closeUnused, giveUp }: Closing): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  // A connection whose request ends after close() would be kept alive otherwise.
  const idle = setInterval(() => server.closeIdleConnections(), 20)
  const unused = setTimeout(closeUnused, HEAD_GRACE_MS)
  const gaveUp = setTimeout(giveUp, graceMs)
  const end = setTimeout(() => server.closeAllConnections(), graceMs + LAST_ANSWERS_MS)
  await closed
  clearInterval(idle)
  clearTimeout(unused)
  clearTimeout(gaveUp)
  clearTimeout(end)
}

const STATUS_OF: ReadonlyMap<string, number> = new Map(
  Object.entries({
    HPE_HEADER_OVERFLOW: 431,
    HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
    ERR_HTTP_REQUEST_TIMEOUT: 408,
  }),
)

/** What Node could not read as HTTP: there is no request, so the answer is written by hand. */
function answerMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const status = STATUS_OF.get(error.code ?? '') ?? 400
  const code = status === 408 ? 'REQUEST_TIMEOUT' : 'INVALID_PARAMETER'
  refuseRaw(socket, status, code, 'The request could not be read as HTTP.')
}

/** Refuses a request that never reaches the app, and closes: what comes next on the connection is not known. */
function refuse(response: ServerResponse, status: number, code: ErrorCode, message: string): void {
  const body = bodyOf(code, message)
  response.writeHead(status, headersOf(body)).end(body)
}

/** The same where there is no response to write to. */
function refuseRaw(socket: Duplex, status: number, code: ErrorCode, message: string): void {
  const body = bodyOf(code, message)
  const headers = Object.entries({ ...headersOf(body), ...(status === 405 && { Allow: ALLOWED }) })
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n${body}`)
}

const METHODS = Object.values<RouteContract>(routes).map(({ method }) => method.toUpperCase())
const ALLOWED = [...new Set(['HEAD', ...METHODS])].sort().join(', ')
const headersOf = (body: string) => ({
  'Content-Type': JSON_TYPE,
  'Content-Length': Buffer.byteLength(body),
  Connection: 'close',
})
const bodyOf = (code: ErrorCode, message: string): string =>
  JSON.stringify({ success: false, message, error: { code, details: {} } })
