import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { CliError, EXIT, Unreachable } from './errors.ts'
import { readRefusal } from './refusal.ts'
import { connectTransport, readBody } from './transport.ts'

export interface Connection {
  url: string
  apiKey: string | null
  operatorToken: string | null
  /** How long the server may stay silent. Null: a minute, or ten for a file that is being processed. */
  timeoutMs: number | null
  signal?: AbortSignal
}

export interface Request {
  query?: { readonly [name: string]: string | number | boolean | undefined }
  json?: unknown
  headers?: { readonly [name: string]: string }
  body?: Readable
  /** Which secret goes with it; by default the API key. */
  as?: 'account' | 'operator' | 'nobody'
  timeoutMs?: number
  signal?: AbortSignal
  /** An answer of this status is a success too: the status endpoint answers 503 with data. */
  accepts?: number
}

/** The service's answer with its envelope. */
export interface Answer<Data> {
  status: number
  data: Data
  message: string
  metadata: { readonly [name: string]: unknown }
}

export interface Client {
  readonly url: string
  /** @throws Refused, Unreachable, Interrupted, CliError when a secret is missing */
  call<Data>(method: string, path: string, request?: Request): Promise<Answer<Data>>
  /** The raw answer, for a stream of events. @throws as `call` */
  open(method: string, path: string, request?: Request): Promise<IncomingMessage>
  close(): void
}

const REQUEST_TIMEOUT_MS = 60_000

export function connectClient(connection: Connection): Client {
  const { url } = connection
  const transport = connectTransport(url)

  async function open(method: string, path: string, request: Request = {}): Promise<IncomingMessage> {
    const { json } = request
    const body = json === undefined ? undefined : JSON.stringify(json)
    const secret = secretOf(connection, request.as)
    if (secret instanceof CliError) {
      // Where there is no server, that is the news.
      await open('GET', '/healthz', { as: 'nobody' }).then(
        (response) => response.resume(),
        (error: unknown) => {
          if (error instanceof Unreachable) throw error
        },
      )
      throw secret
    }
    const response = await transport({
      method,
      path: path + queryString(request.query),
      headers: {
        accept: 'application/json',
        'user-agent': 'medialog-cli',
        ...(body && {
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(body)),
        }),
        ...secret,
        ...request.headers,
      },
      body: body ?? request.body,
      signal: request.signal ?? connection.signal,
      timeoutMs: connection.timeoutMs ?? request.timeoutMs ?? REQUEST_TIMEOUT_MS,
    })
    if (isSuccess(response.statusCode!, request)) return response
    const text = await readBody(response, url, request.signal ?? connection.signal)
    throw readRefusal(response, text, request.as === 'operator')
  }

  return {
    url,
    open,
    async call<Data>(method: string, path: string, request: Request = {}): Promise<Answer<Data>> {
      const response = await open(method, path, request)
      const text = await readBody(response, url, request.signal ?? connection.signal)
      const { data, message, metadata } = parseAnswer(text, url)
      return {
        status: response.statusCode!,
        data: data as Data,
        message: String(message),
        metadata: (metadata ?? {}) as Answer<Data>['metadata'],
      }
    },
    close: () => transport.close(),
  }
}

const isSuccess = (status: number, { accepts }: Request): boolean =>
  (status >= 200 && status < 300) || status === accepts

/** The header that goes with a request, or the error where it is needed and missing. */
function secretOf(
  { apiKey, operatorToken }: Connection,
  as: Request['as'] = 'account',
): { [name: string]: string } | CliError {
  if (as === 'nobody') return {}
  if (as === 'operator')
    return operatorToken ? { 'x-operator-token': operatorToken } : missing('OPERATOR_TOKEN', NO_TOKEN)
  return apiKey ? { 'x-api-key': apiKey } : missing('API_KEY', NO_KEY)
}

const missing = (what: string, [message, hint]: readonly [string, string]): CliError =>
  new CliError(`NO_${what}`, message, { exitCode: EXIT.unauthorised, hint })

const NO_TOKEN = [
  'This needs the operator token, and none was found.',
  'Give it with --operator-token or MEDIALOG_OPERATOR_TOKEN, or name the data folder of the server with --data-dir.',
] as const
const NO_KEY = [
  'This needs an API key, and none was found.',
  'Give one with --key or MEDIALOG_API_KEY, or keep one with `medialog profile add`.',
] as const

function queryString(query: Request['query'] = {}): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) parameters.set(name, String(value))
  return parameters.size > 0 ? `?${parameters.toString()}` : ''
}

function parseAnswer(text: string, url: string): { [name: string]: unknown } {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body === 'object' && body !== null && 'data' in body) return { ...body }
  } catch {
    // Said below.
  }
  throw new CliError('NOT_MEDIALOG', `What answers at ${url} does not speak like Medialog.`, {
    hint: 'Check the address: --url, MEDIALOG_URL, or the profile in use.',
  })
}
