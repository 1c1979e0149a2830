import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { MedialogError, Unreachable } from '../errors.ts'
import { multipart } from './multipart.ts'
import { silent } from './silent.ts'
import type { Exchange, FilePart, Reply, Transport } from './transport.ts'

/**
 * HTTP by Node's own client rather than by `fetch`: a refusal that comes while a file is still being sent is read
 * instead of lost, files are sent as they are read with a length known before, and time-outs are ours.
 */
export function connect(): Transport {
  const agents = {
    'http:': new HttpAgent({ keepAlive: true }),
    'https:': new HttpsAgent({ keepAlive: true }),
  }
  return {
    send: (exchange) =>
      new Promise((resolve, reject) => {
        const { method, url, signal, timeoutMs } = exchange
        signal?.throwIfAborted()
        const isSecure = url.protocol === 'https:'
        const { headers, content } = contentOf(exchange)
        const options = { method, headers, agent: agents[isSecure ? 'https:' : 'http:'] }
        const request = (isSecure ? httpsRequest : httpRequest)(url, options)
        // Ended without an error: a connection that is being returned to its pool has no listener, and would throw it.
        let isSilent = false
        request.setTimeout(timeoutMs, () => {
          isSilent = true
          request.destroy()
        })
        // Not by the request's own option: that would end the connection, too, which may have gone on to another request.
        const leave = (): void => void request.destroy()
        signal?.addEventListener('abort', leave)
        const left = (): void => signal?.removeEventListener('abort', leave)
        request.once('close', left)
        request.once('response', (response) => {
          // A refusal may come before all is sent: once it is read there is no point in sending the rest.
          response.once('end', () => (request.writableFinished ? left() : request.destroy()))
          resolve(replyOf(response, failed))
        })
        const failed = (error: Error): unknown => (isSilent ? silent(exchange) : failureOf(error, exchange))
        // After an answer the rest of the body may fail to be sent: the answer counts, and rejecting changes nothing.
        request.on('error', (error) => reject(failed(error)))
        if (typeof content !== 'object') return void request.end(content)
        content.on('error', (error) => request.destroy(error))
        request.once('close', () => content.destroy())
        content.pipe(request)
        return undefined
      }),
    close() {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

function contentOf({ body, headers }: Exchange): {
  headers: { [name: string]: string }
  content?: string | Readable
} {
  if (body === undefined) return { headers: { ...headers } }
  if (typeof body === 'string')
    return { headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) }, content: body }
  const { contentType, length, bytes } = multipart(body, `medialog-${randomBytes(18).toString('base64url')}`)
  return {
    headers: {
      ...headers,
      'content-type': contentType,
      ...(length !== null && { 'content-length': String(length) }),
    },
    content: Readable.from(bytes, { objectMode: false }),
  }
}

function replyOf(response: IncomingMessage, failed: (error: Error) => unknown): Reply {
  const headers = new Headers()
  for (const [name, value] of Object.entries(response.headersDistinct))
    for (const one of value ?? []) headers.append(name, one)
  // The reader of the body gets the error; without a reader it matters to no one.
  response.on('error', () => {})
  async function* body(): AsyncGenerator<Uint8Array> {
    try {
      yield* response as AsyncIterable<Uint8Array>
    } catch (error) {
      throw failed(error as Error)
    }
  }
  return { status: response.statusCode!, headers, body: body(), cancel: () => void response.destroy() }
}

const NOBODY_THERE = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

function failureOf(error: Error, { url: { origin }, signal }: Exchange): unknown {
  if (signal?.aborted) return signal.reason
  // Reading the file failed, not the connection.
  if (!('code' in error) || 'path' in error || error instanceof MedialogError) return error
  const code = String(error.code)
  if (NOBODY_THERE.has(code))
    return new Unreachable('nobody', `No server answers at ${origin}.`, { cause: error })
  return new Unreachable('broken', `The connection to ${origin} broke (${error.message}).`, { cause: error })
}

/** The file at a path, as large as it is now. */
export async function fileAt(path: string | URL): Promise<FilePart> {
  const { size } = await stat(path)
  const name = basename(path instanceof URL ? decodeURIComponent(path.pathname) : path)
  return { name, size, isRepeatable: true, bytes: () => read(path, size) }
}

async function* read(path: string | URL, size: number): AsyncGenerator<Uint8Array> {
  let sent = 0
  if (size > 0)
    for await (const chunk of createReadStream(path, { end: size - 1 }) as AsyncIterable<Uint8Array>) {
      sent += chunk.byteLength
      yield chunk
    }
  if (sent < size)
    throw new MedialogError('UNREADABLE_FILE', `${String(path)} became shorter while it was read.`)
}
