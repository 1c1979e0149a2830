import { verifyLog } from '@medialog/application'
import { READ_MODELS } from '@medialog/application/ports'
import { toCloudEvent } from '@medialog/messaging/cloud-event'
import { expect } from 'vitest'
import { filesHolding } from '../harness/files.ts'
import type { World } from './world.ts'

const unheard = (): void => undefined

/** What must hold of a world after all that was told in it. `erased`: words that no file may hold any more. */
export async function expectSound(world: World, erased: readonly string[]): Promise<void> {
  const life = await world.begin()
  await life.quiet()
  const { eventStore, broker } = world
  expect(await eventStore.verify(unheard)).toMatchObject({ broken: null })
  expect(await verifyLog(life.verifying, null, unheard)).toMatchObject({ found: 0 })
  for (const name of READ_MODELS)
    expect(await life.projections.verify(name, unheard), name).toMatchObject({ identical: true })

  // Each event once, in the order of its stream; events of items that were erased are told and not in the log any more.
  const ids = broker.published.map(({ headers }) => headers['ce_id'])
  expect(new Set(ids).size).toBe(ids.length)
  const positions = Map.groupBy(broker.published, ({ key }) => key)
  for (const [stream, messages] of positions) {
    const order = messages.map(({ headers }) => Number(headers['ce_position']))
    expect(order, stream).toEqual(order.toSorted((a, b) => a - b))
  }
  const published = new Set(ids)
  for await (const event of eventStore.readAll(0)) {
    const message = toCloudEvent(event, '/medialog')
    if (message) expect(published, event.stream).toContain(message.headers['ce_id'])
  }
  if (erased.length > 0) expect(await filesHolding(world.folder, erased)).toEqual([])
  await life.end()
}
