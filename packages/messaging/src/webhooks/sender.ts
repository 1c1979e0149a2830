import {
  Agent as HttpAgent,
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { explain } from '@medialog/kernel'
import type { Targets } from './targets.ts'

/** The outcome of a request to a receiver. */
export interface SendOutcome {
  /** Null where nothing was answered. */
  status: number | null
  /** Why it counts as not arrived, for people; null: it arrived. */
  error: string | null
  /** How long the receiver asks to be left alone, in milliseconds; null: it does not say. */
  retryAfterMs: number | null
}

export interface SenderOptions {
  targets: Targets
  /** For all of it, from looking the name up to the end of the answer. */
  timeoutMs: number
  /** `User-Agent`. */
  agent: string
}

/** Sends one request to whom an account has named: no redirects, no more of the answer than its status. */
export interface Sender {
  /** Does not throw for what the receiver does; `signal` cuts it off. @throws AbortError */
  send(
    url: URL,
    request: { headers: { [name: string]: string }; body: string },
    signal: AbortSignal,
  ): Promise<SendOutcome>
  close(): void
}

/** It is not used; that much is read so that the connection can be used again. */
const MOST_ANSWER_BYTES = 65_536
const IDLE_MS = 10_000

export function createSender({ targets, timeoutMs, agent }: SenderOptions): Sender {
  const options = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: 16 }
  const agents = { 'http:': new HttpAgent(options), 'https:': new HttpsAgent(options) }

  async function once(
    url: URL,
    { headers, body }: { headers: { [name: string]: string }; body: string },
    signal: AbortSignal,
  ): Promise<SendOutcome | 'stale'> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const isPlain = url.protocol === 'http:'
    const request: ClientRequest = (isPlain ? httpRequest : httpsRequest)(url, {
      method: 'POST',
      agent: agents[isPlain ? 'http:' : 'https:'],
      lookup: targets.lookup,
      signal,
      headers: {
        'content-type': 'application/cloudevents+json; charset=utf-8',
        'content-length': Buffer.byteLength(body),
        'user-agent': agent,
        ...headers,
      },
    })
    request.on('response', resolve)
    request.on('error', reject)
    // A switch to another protocol ends it with neither of these.
    request.on('close', () => reject(new Error('the connection was closed without an answer')))
    request.end(body)
    try {
      const response = await promise
      await discard(response)
      return outcomeOf(response)
    } catch (error) {
      // The receiver closed a kept connection at the very moment in which it was used again.
      if (request.reusedSocket && (error as NodeJS.ErrnoException).code === 'ECONNRESET') return 'stale'
      throw error
    }
  }

  return {
    async send(url, request, signal) {
      const refusal = targets.refusalOf(url)
      if (refusal !== null) return failed(refusal)
      const timeout = AbortSignal.timeout(timeoutMs)
      const stop = AbortSignal.any([signal, timeout])
      try {
        for (;;) {
          const outcome = await once(url, request, stop)
          if (outcome !== 'stale') return outcome
        }
      } catch (error) {
        signal.throwIfAborted()
        return failed(timeout.aborted ? `no answer within ${timeoutMs / 1000} s` : explain(error))
      }
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

const failed = (error: string): SendOutcome => ({ status: null, error, retryAfterMs: null })

/** Waits for the end of the answer, or of as much of it as is taken. A cut one still has its status. */
async function discard(response: IncomingMessage): Promise<void> {
  let bytes = 0
  try {
    for await (const chunk of response) {
      bytes += (chunk as Buffer).length
      if (bytes > MOST_ANSWER_BYTES) return
    }
  } catch (error) {
    if ((error as Error).name === 'AbortError') throw error
  }
}

function outcomeOf({ statusCode: status = 0, headers }: IncomingMessage): SendOutcome {
  const retryAfterMs = retryAfterOf(headers['retry-after'])
  if (status >= 200 && status < 300) return { status, error: null, retryAfterMs }
  const why =
    status >= 300 && status < 400 ? `${status}: redirects are not followed` : `${status} was answered`
  return { status, error: why, retryAfterMs }
}

/** Seconds, or a date of HTTP. */
function retryAfterOf(header: string | undefined): number | null {
  if (header === undefined) return null
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return ms > 0 ? ms : null
}
