import type { LogPosition } from '@medialog/kernel'
import type { RequestContext } from '../core/context.ts'
import { InvalidInput } from '../core/errors.ts'
import type { Ports } from '../core/ports.ts'
import type { FollowedEvents } from './account-events.ts'

/**
 * The account's published events after a position, or from now on where that is null, until the signal aborts or the
 * service stops. What failed ends it: EngineUnavailable, UnreadableEvent.
 * @throws InvalidInput where the log does not reach that far, EngineUnavailable
 */
export type FollowEvents = (
  context: RequestContext,
  query: { after: LogPosition | null; types?: ReadonlySet<string> },
  signal: AbortSignal,
) => Promise<{ from: LogPosition; events: AsyncIterable<FollowedEvents> }>

/** @throws InvalidInput for a position of another log, or of one that was restored to before it */
export function requireReached(after: LogPosition, head: LogPosition): void {
  if (after > head)
    throw new InvalidInput('VALIDATION_ERROR', 'after is further than the log reaches.', {
      parameter: 'after',
      reason: 'is further than the log reaches',
    })
}

/** @throws InvalidInput, as above */
export async function followEvents(
  { accountEvents, eventStore }: Pick<Ports, 'accountEvents' | 'eventStore'>,
  { principal }: RequestContext,
  { after, types }: Parameters<FollowEvents>[1],
  signal: AbortSignal,
): ReturnType<FollowEvents> {
  const head = await eventStore.head()
  if (after !== null) requireReached(after, head)
  const from = after ?? head
  const options = { signal, ...(types && { types }) }
  return { from, events: accountEvents.follow(principal.accountId, from, options) }
}
