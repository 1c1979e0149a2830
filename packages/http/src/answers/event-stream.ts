import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import type { EdgeContext } from '../exchange.ts'
import { ClientGone } from '../request/client-gone.ts'

/** Keeps proxies from closing a quiet connection. */
const HEARTBEAT_MS = 15_000
const BUFFERED_BYTES = 16 * 1024

export interface EventStream {
  /** Aborts when the caller is gone, or has taken nothing for too long. */
  readonly signal: AbortSignal
  /** Resolves once there is room for more. @throws ClientGone */
  send(name: string, data: object): Promise<void>
  /** Answers with what is sent; until then nothing leaves, and the request can still be refused. */
  open(): void
  end(): void
}

/**
 * An answer of server-sent events: https://html.spec.whatwg.org/#server-sent-events. Data is JSON on one line, in which
 * no text of anybody's can begin a line of its own.
 */
export function createEventStream(ctx: EdgeContext, idleMs: number): EventStream {
  const gone = new AbortController()
  const { signal } = gone
  const stream = new PassThrough({ highWaterMark: BUFFERED_BYTES })
  const leave = (): void => gone.abort(new ClientGone())
  ctx.res.once('close', leave)
  // Destroyed with its reader, or by `leave`: whoever sends hears of it by the signal.
  stream.on('error', leave)
  signal.addEventListener('abort', () => stream.destroy(), { once: true })

  return {
    signal,
    async send(name, data) {
      signal.throwIfAborted()
      if (stream.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)) return
      const idle = setTimeout(leave, idleMs)
      try {
        await once(stream, 'drain', { signal })
      } catch {
        throw signal.reason ?? new ClientGone()
      } finally {
        clearTimeout(idle)
      }
    },
    open() {
      if (ctx.body === stream) return
      const heartbeat = setInterval(() => ctx.res.write(': \n\n'), HEARTBEAT_MS).unref()
      ctx.res.once('close', () => clearInterval(heartbeat))
      ctx.type = 'text/event-stream'
      ctx.body = stream
    },
    end: () => void stream.end(),
  }
}
