import type { Open, OpenOptions } from './calls.ts'
import { MedialogError, Refused, Unreachable } from './errors.ts'
import type { CloudEvent } from './operations.ts'
import type { Reply } from './platform/transport.ts'
import type { Positions } from './positions.ts'
import { sleep, waitBefore } from './retry.ts'
import { serverSentEvents } from './server-sent-events.ts'

export interface FeedInput {
  /** The position to go on behind: of an event, or an X-Position; `beginning` for all that there is. From now on unless given. */
  after?: string
  /** Only these types of events. */
  types?: readonly string[]
}

/** An event, and the position to go on behind once it is dealt with. */
export interface FeedEvent {
  event: CloudEvent
  position: string
}

/** Events as they happen. Leave it with `break`, or by the signal. */
export interface Feed extends AsyncGenerator<FeedEvent, void, undefined> {
  /** Where to continue later; it advances even without events. Null until it is known. */
  readonly position: string | null
}

/** A reader that hears nothing for a minute has lost its connection: the service says something every 15 seconds. */
const SILENCE_MS = 60_000

export function followEvents(
  open: Open,
  positions: Positions,
  { after, types = [] }: FeedInput = {},
  options: OpenOptions = {},
): Feed {
  const place = { position: after ?? null }
  const feed = follow(open, positions, types, options, place)
  return Object.defineProperty(feed, 'position', { get: () => place.position }) as Feed
}

/** From one connection to the next. A refusal of the first one is thrown, and of later ones what stays refused. */
async function* follow(
  open: Open,
  positions: Positions,
  types: readonly string[],
  { timeoutMs = SILENCE_MS, ...options }: OpenOptions,
  place: { position: string | null },
): AsyncGenerator<FeedEvent, void, undefined> {
  let failures = 0
  for (let hasBegun = false; ;) {
    try {
      const input = { after: place.position ?? undefined, types: types.join(',') || undefined }
      const reply = await open('followEvents', input, { ...options, timeoutMs, accept: 'text/event-stream' })
      hasBegun = true
      for await (const event of told(reply, place)) {
        failures = 0
        positions.received(place, event.position)
        yield event
      }
    } catch (error) {
      if (!hasBegun || !isPassing(error)) throw error
      const wait = waitBefore(++failures, error)
      options.onRetry?.(error, wait)
      await sleep(wait, options.signal)
    }
  }
}

/** What one connection tells. @throws MedialogError with why it ended */
async function* told(
  reply: Reply,
  place: { position: string | null },
): AsyncGenerator<FeedEvent, never, undefined> {
  try {
    for await (const { name, data } of serverSentEvents(reply.body, (id) => (place.position = id))) {
      if (name === 'end')
        throw new MedialogError('FEED_ENDED', (JSON.parse(data) as { message: string }).message)
      yield { event: JSON.parse(data) as CloudEvent, position: place.position! }
    }
  } finally {
    reply.cancel()
  }
  throw new MedialogError('FEED_ENDED', 'The connection ended.')
}

function isPassing(error: unknown): error is MedialogError {
  if (error instanceof Refused) return error.status === 429 || error.status >= 500
  return error instanceof Unreachable || (error instanceof MedialogError && error.code === 'FEED_ENDED')
}
