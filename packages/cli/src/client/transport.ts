import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { Readable } from 'node:stream'
import { Interrupted, Unreachable } from './errors.ts'

export interface Exchange {
  method: string
  path: string
  headers: { readonly [name: string]: string }
  /** A text, or a stream that is sent as it is read; it then needs a `content-length` header. */
  body?: string | Readable
  signal?: AbortSignal
  timeoutMs: number
}

/** One request and the head of its answer. @throws Unreachable, Interrupted */
export type Transport = (exchange: Exchange) => Promise<IncomingMessage>

/**
 * HTTP by Node's own client rather than by `fetch`: a refusal that comes while a file is still being sent is read
 * instead of lost, and time-outs are ours.
 */
export function connectTransport(url: string): Transport & { close(): void } {
  const base = new URL(url)
  const isSecure = base.protocol === 'https:'
  const agent = isSecure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true })
  const prefix = base.pathname.replace(/\/$/, '')

  const send = ({ method, path, headers, body, signal, timeoutMs }: Exchange): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(new Interrupted())
      const target = new URL(prefix + path, base)
      const request = (isSecure ? httpsRequest : httpRequest)(target, { method, headers, agent, signal })
      request.setTimeout(timeoutMs, () =>
        request.destroy(
          Object.assign(new Error(`no answer within ${timeoutMs / 1000} s`), { code: 'TIMEOUT' }),
        ),
      )
      request.once('response', (response) => {
        // A refusal may come before all is sent: once it is read there is no point in sending the rest.
        response.once('end', () => request.writableFinished || request.destroy())
        resolve(response)
      })
      // After an answer the rest of the body may fail to be sent: the answer counts, and rejecting changes nothing.
      request.on('error', (error) => reject(failure(error, url, signal)))
      if (body === undefined || typeof body === 'string') return request.end(body)
      body.on('error', (error) => request.destroy(error))
      request.once('close', () => body.destroy())
      body.pipe(request)
    })
  return Object.assign(send, { close: () => agent.destroy() })
}

/** The whole body of an answer. @throws Unreachable, Interrupted */
export async function readBody(
  response: IncomingMessage,
  url: string,
  signal?: AbortSignal,
): Promise<string> {
  let text = ''
  for await (const part of bodyText(response, url, signal)) text += part
  return text
}

/** The same as it comes. @throws Unreachable, Interrupted */
export async function* bodyText(
  response: IncomingMessage,
  url: string,
  signal?: AbortSignal,
): AsyncGenerator<string> {
  try {
    response.setEncoding('utf8')
    for await (const chunk of response) yield String(chunk)
  } catch (error) {
    throw failure(error, url, signal)
  }
}

function failure(error: unknown, url: string, signal?: AbortSignal): Error {
  if (signal?.aborted) return new Interrupted()
  if (!(error instanceof Error)) return new Error(String(error))
  // Reading the file failed, not the connection.
  if ('path' in error || !('code' in error)) return error
  const code = String(error.code)
  if (NOBODY_THERE.has(code))
    return new Unreachable(
      'nobody',
      `No server answers at ${url}.`,
      'Start one with `npm start`, or name another with --url.',
    )
  if (code === 'TIMEOUT')
    return new Unreachable(
      'silent',
      `${url} gave ${error.message}.`,
      'Try again, or allow more time with --timeout SECONDS.',
    )
  return new Unreachable(
    'broken',
    `The connection to ${url} broke (${error.message}).`,
    'Try again; `medialog status` says how the server is.',
  )
}

const NOBODY_THERE = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])
