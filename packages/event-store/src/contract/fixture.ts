import type { StreamName } from '@medialog/kernel'
import type { EventBatch } from '@medialog/application/ports'
import { test } from 'vitest'
import type { ChainedEvent } from '../chain.ts'
import type { ChainedEventStore } from '../log.ts'
import { newEvents } from '../testing/events.ts'

export { newEvent, newEvents, newStream } from '../testing/events.ts'

export interface EventStoreUnderTest {
  store: ChainedEventStore
  /** Closes the store and opens it again on the same log, as after a restart. */
  reopen(): Promise<ChainedEventStore>
  close(): Promise<void>
}

export type EventStoreFactory = () => Promise<EventStoreUnderTest>

/** A `test` whose function is given an empty log, closed when it ends. */
export const testOn =
  (factory: EventStoreFactory) => (name: string, run: (log: EventStoreUnderTest) => Promise<void>) =>
    // oxlint-disable-next-line vitest/valid-title -- the caller's title
    test(name, async () => {
      const log = await factory()
      try {
        await run(log)
      } finally {
        await log.close()
      }
    })

export const idsOf = (events: Iterable<{ id: string }>): string[] => Array.from(events, ({ id }) => id)

export async function all<T>(events: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const event of events) found.push(event)
  return found
}

/** Appends `count` events to the stream's end, one append each, and answers them as recorded. */
export async function appendOneByOne(
  store: ChainedEventStore,
  stream: StreamName,
  count: number,
): Promise<ChainedEvent[]> {
  for (const event of newEvents(count)) {
    const [last] = await all(store.read(stream, { direction: 'backwards', limit: 1 }))
    await store.append(stream, last?.revision ?? 'no-stream', [event])
  }
  return all(store.read(stream))
}

/** Takes batches until `enough` accepts all events so far; leaves the iteration then. */
export async function take(
  batches: AsyncIterable<EventBatch>,
  enough: (events: EventBatch['events'], batch: EventBatch) => boolean,
): Promise<EventBatch['events']> {
  const events: EventBatch['events'] = []
  for await (const batch of batches) {
    events.push(...batch.events)
    if (enough(events, batch)) break
  }
  return events
}
