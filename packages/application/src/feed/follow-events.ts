import type { LogPosition } from '@medialog/kernel'
import type { Application } from '../application.ts'
import type { RequestContext } from '../core/context.ts'
import type { Dependencies } from '../dependencies.ts'
import { InvalidInput } from '../core/errors.ts'

type Followed = ReturnType<Application['followEvents']>

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
  { accountEvents, eventStore }: Pick<Dependencies, 'accountEvents' | 'eventStore'>,
  { principal }: RequestContext,
  { after, types }: Parameters<Application['followEvents']>[1],
  signal: AbortSignal,
): Followed {
  const head = await eventStore.head()
  if (after !== null) requireReached(after, head)
  const from = after ?? head
  const options = { signal, ...(types && { types }) }
  return { from, events: accountEvents.follow(principal.accountId, from, options) }
}
