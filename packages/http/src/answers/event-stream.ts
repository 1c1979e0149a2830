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
  /** The same for events that are written out already. */
  write(events: string): Promise<void>
  /** Answers with what is sent; until then nothing leaves, and the request can still be refused. */
  open(): void
  /** With a last event, which does not wait for the reader. */
  end(events?: string): void
}

interface StreamOptions {
  /** How long a caller may take nothing. */
  idleMs: number
  /** The last event for such a client, which it finds if it reads on within the same time again. */
  farewell?: string
}

/** Data is JSON on one line, in which no text of anybody's can begin a line of its own. */
export const eventText = (name: string, data: object): string =>
  `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

/** An answer of server-sent events: https://html.spec.whatwg.org/#server-sent-events. */
export function createEventStream(ctx: EdgeContext, { idleMs, farewell }: StreamOptions): EventStream {
  const gone = new AbortController()
  const { signal } = gone
  const stream = new PassThrough({ highWaterMark: BUFFERED_BYTES })
  const leave = (): void => gone.abort(new ClientGone())
  const leaveIdle = (): void => {
    if (farewell === undefined) stream.destroy()
    else {
      const over = setTimeout(() => ctx.res.destroy(), idleMs)
      stream.once('close', () => clearTimeout(over))
      stream.end(farewell)
    }
    leave()
  }
  // Destroyed with its reader: the sender learns it by the signal.
  const closed = (): void => {
    stream.destroy()
    leave()
  }
  ctx.res.once('close', closed)
  stream.on('error', closed)

  async function write(events: string): Promise<void> {
    signal.throwIfAborted()
    if (stream.write(events)) return
    const idle = setTimeout(leaveIdle, idleMs)
    try {
      await once(stream, 'drain', { signal })
    } catch {
      throw signal.reason ?? new ClientGone()
    } finally {
      clearTimeout(idle)
    }
  }

  return {
    signal,
    write,
    send: (name, data) => write(eventText(name, data)),
    open() {
      if (ctx.body === stream) return
      const beat = (): void => {
        if (!ctx.res.writableEnded) ctx.res.write(': \n\n')
      }
      const heartbeat = setInterval(beat, HEARTBEAT_MS).unref()
      signal.addEventListener('abort', () => clearInterval(heartbeat))
      ctx.type = 'text/event-stream'
      // nginx collects an answer before it passes it on, unless this says not to.
      ctx.set('X-Accel-Buffering', 'no')
      ctx.body = stream
    },
    end(events) {
      if (!stream.writableEnded) stream.end(events)
    },
  }
}
