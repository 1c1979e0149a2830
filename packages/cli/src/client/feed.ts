import { setTimeout as sleep } from 'node:timers/promises'
import type { IncomingMessage } from 'node:http'
import type { Client } from './client.ts'
import { CliError, Interrupted, Refused, Unreachable } from './errors.ts'
import { serverEvents } from './event-stream.ts'

/** A CloudEvent of the account. */
export interface AccountEvent {
  id: string
  type: string
  subject: string
  time: string
  actor: string
  data: { readonly [field: string]: unknown }
  [attribute: string]: unknown
}

export interface FollowOptions {
  /** Null: from now on. */
  after: string | null
  types: readonly string[]
  /** `position`: where to go on after it. */
  onEvent: (event: AccountEvent, position: string) => void
  /** Told before each wait. */
  onWait: (why: string, milliseconds: number) => void
}

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 15_000

/**
 * The account's events until the signal aborts, from one connection to the next: whatever cuts it off, it goes on behind
 * the last event. Answers where to go on, null where that was never heard.
 * @throws what refuses the first connection, and later ones for good: a key that is not valid any more
 */
export async function followEvents(
  client: Client,
  { after, types, onEvent, onWait }: FollowOptions,
  signal: AbortSignal,
): Promise<string | null> {
  let position = after
  let hasBegun = false
  let failures = 0
  while (!signal.aborted)
    try {
      const query = { after: position ?? undefined, types: types.length > 0 ? types.join(',') : undefined }
      const response = await client.open('GET', '/v1/events', {
        query,
        headers: { accept: 'text/event-stream' },
        signal,
      })
      hasBegun = true
      const events = serverEvents(response, (id) => void (position = id))
      await toldBy(response, events, (event) => {
        failures = 0
        onEvent(event, position!)
      })
    } catch (error) {
      if (signal.aborted || error instanceof Interrupted) break
      if (!(error instanceof CliError) || !hasBegun || !isPassing(error)) throw error
      const asked = error instanceof Refused ? error.retryAfterMs : null
      const wait = Math.min(asked ?? FIRST_WAIT_MS * 2 ** failures++, LONGEST_WAIT_MS)
      onWait(error.message, wait)
      await sleep(wait, undefined, { signal }).catch(() => undefined)
    }
  return position
}

/** @throws CliError with why it ended */
async function toldBy(
  response: IncomingMessage,
  events: ReturnType<typeof serverEvents>,
  onEvent: (event: AccountEvent) => void,
): Promise<never> {
  try {
    for await (const { name, data } of events) {
      if (name === 'end') throw new CliError('FEED_ENDED', (JSON.parse(data) as { message: string }).message)
      onEvent(JSON.parse(data) as AccountEvent)
    }
  } catch (error) {
    if (error instanceof CliError) throw error
  } finally {
    response.destroy()
  }
  throw new CliError('FEED_ENDED', 'The connection broke.')
}

function isPassing(error: CliError): boolean {
  if (error instanceof Refused) return error.status === 429 || error.status >= 500
  return error instanceof Unreachable || error.code === 'FEED_ENDED'
}
