import { verifyLog } from '@medialog/application'
import type { RecordedEvent } from '@medialog/kernel'
import { toCloudEvent } from '@medialog/messaging/cloud-event'
import { expect } from 'vitest'
import { filesHolding } from '../harness/files.ts'
import type { World } from './world.ts'

const unheard = (): void => undefined

/**
 * Checks a world after its last scenario: the log, the signed tree, the read models, and what was published. No file may
 * hold a word of `erased`.
 */
export async function expectSound(world: World, erased: readonly string[]): Promise<void> {
  const instance = await world.begin()
  await instance.quiet()
  const { eventStore, broker, received } = world
  expect(await eventStore.verify(unheard)).toMatchObject({ found: 0 })
  expect(await verifyLog(instance.verifying, null, unheard)).toMatchObject({ found: 0 })
  // One of each store: the others are verified with it.
  for (const name of ['catalog', 'accounts', 'usage'] as const)
    for (const report of await instance.projections.verify(name, unheard))
      expect(report).toMatchObject({ identical: true })

  // Each event is published once, in the order of its stream. Events of erased items are no longer in the log.
  const ids = broker.published.map(({ headers }) => headers['ce_id'])
  expect(new Set(ids).size).toBe(ids.length)
  const positions = Map.groupBy(broker.published, ({ key }) => key)
  for (const [stream, messages] of positions)
    expectAscending(
      messages.map(({ headers }) => Number(headers['ce_position'])),
      stream,
    )
  const published = new Set(ids)
  const recorded = new Map<string, RecordedEvent>()
  for await (const event of eventStore.readAll(0)) {
    recorded.set(event.id, event)
    const message = toCloudEvent(event, '/medialog')
    if (message) expect(published, event.stream).toContain(message.headers['ce_id'])
  }
  // An event may be sent to a webhook again, and never before the one that precedes it in its stream.
  const sent = [...new Set(received)].flatMap((id) => recorded.get(id) ?? [])
  for (const [stream, events] of Map.groupBy(sent, (event) => event.stream))
    expectAscending(
      events.map(({ revision }) => revision),
      stream,
    )
  if (erased.length > 0) expect(await filesHolding(world.folder, erased)).toEqual([])
  await instance.end()
}

const expectAscending = (order: readonly number[], what: string): void =>
  expect(order, what).toEqual(order.toSorted((a, b) => a - b))
