import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RecordedEvent } from '@medialog/kernel'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { applyEvents } from './apply.ts'
import { createHistory, idOf } from './testing/history.ts'
import { createMemoryArtifacts } from './testing/memory-artifacts.ts'
import { MemoryEventStore } from './testing/memory-event-store.ts'
import { projectedIn } from './testing/service.ts'

const ANN = idOf('ann')
const BEN = idOf('ben')
const store = new MemoryEventStore()
const artifacts = createMemoryArtifacts()
const context = { log: store, artifacts }
const events: RecordedEvent[] = []

beforeAll(async () => {
  const history = createHistory(store, artifacts)
  for (const account of [ANN, BEN]) {
    await history.open(account)
    const { mediaId, ingestId } = await history.upload(account, 'a.txt', 'a text', 'papers')
    const { mediaId: moved } = await history.upload(account, 'b.txt', 'b text', 'papers')
    await history.overwrite(account, 'a.txt', 'another text')
    await history.move(account, [moved], 'kept')
    await history.fail(account, 'c.txt', 'c text')
    await history.endCollection(account, 'papers')
    await history.begin(account, 'd.txt', 'd text')
    await history.batch(account, 'papers')
    await history.upload(account, 'e.txt', 'e text', 'papers')
    await artifacts.deleteIngest({ accountId: account, mediaId, ingestId })
  }
  for await (const event of store.readAll(0)) events.push(event)
})

/** Applies the history cut after these numbers of events, each batch as often as said, and answers the digest. */
async function digestOf(index: number, batches: readonly { size: number; times: number }[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'medialog-batches-'))
  const { projection, store } = projectedIn(folder)[index]!
  const writer = await store.open()
  try {
    let start = 0
    for (const { size, times } of [...batches, { size: events.length, times: 1 }]) {
      const batch = events.slice(start, start + size)
      start += batch.length
      for (let time = 0; batch.length > 0 && time < times; time++)
        await applyEvents(projection, context, writer, batch, batch.at(-1)!.position)
    }
    const snapshot = await writer.snapshot()
    try {
      expect(snapshot.position).toBe(events.at(-1)!.position)
      return [...(await snapshot.digests())].join()
    } finally {
      await snapshot.close()
    }
  } finally {
    await writer.close()
    rmSync(folder, { recursive: true })
  }
}

describe.each([0, 1, 2])('store %i', (index) => {
  test('any split into batches, each applied once or more, gives the same rows', async () => {
    const whole = await digestOf(index, [])
    const batch = fc.record({ size: fc.integer({ min: 1, max: 9 }), times: fc.integer({ min: 1, max: 2 }) })
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { maxLength: 20 }), async (batches) => {
        expect(await digestOf(index, batches)).toBe(whole)
      }),
      { numRuns: 15 },
    )
  })
})
