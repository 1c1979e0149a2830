import type { Worker } from 'node:worker_threads'
import { EngineUnavailable } from '@medialog/application/ports'
import { expect, test, vi } from 'vitest'
import { newEvent, newEvents } from '../testing/events.ts'
import { temporaryFolder } from '../testing/folder.ts'
import { tamper } from '../testing/tamper.ts'
import { openSqliteEventStore } from './store.ts'

vi.setConfig({ testTimeout: 60_000 })

const GENEROUS = { timeout: 30_000 }

/** A store with a way to kill its writing thread, and what was said of it. */
async function killable(path: string) {
  const writers: Worker[] = []
  const collect = (thread: Worker) => writers.push(thread)
  process.on('worker', collect)
  const said: string[] = []
  const store = await openSqliteEventStore({ path, onTrouble: (what) => said.push(what) })
  return {
    store,
    said,
    writers,
    killWriter: () => writers.at(-1)!.terminate(),
    async [Symbol.asyncDispose]() {
      process.off('worker', collect)
      await store.close()
    },
  }
}

test('a writer that dies is started again; what was under way is unknown, and repeats with the same ids', async () => {
  await using folder = await temporaryFolder()
  await using killed = await killable(folder.log)
  const { store, said } = killed
  await store.append('media-a', 'no-stream', newEvents(3))
  for (let round = 0; round < 3; round++) {
    const expected = 2 + round
    const event = newEvent({ round })
    const underWay = store.append('media-a', expected, [event])
    const settled = underWay.then(
      () => null,
      (error: unknown) => error,
    )
    await killed.killWriter()
    const failure = await settled
    if (failure !== null) expect(failure).toBeInstanceOf(EngineUnavailable)
    await vi.waitFor(() => expect(store.trouble()).toBeNull(), GENEROUS)
    // The same ids at the same revision: the first outcome, whichever it was.
    expect((await store.append('media-a', expected, [event])).revision).toBe(expected + 1)
  }
  expect(said).toEqual(Array.from({ length: 3 }, () => 'the writer of the log died'))
  expect((await store.verify(() => undefined)).found).toBe(0)
  const revisions: number[] = []
  for await (const { revision } of store.read('media-a')) revisions.push(revision)
  expect(revisions).toEqual([0, 1, 2, 3, 4, 5])
})

test('while it is down appends are refused at once, reads go on, and a damaged log is not written to again', async () => {
  await using folder = await temporaryFolder()
  await using killed = await killable(folder.log)
  const { store, said } = killed
  await store.append('media-a', 'no-stream', newEvents(3))
  tamper(
    folder.log,
    `UPDATE events SET event = replace(event, '"number":1', '"number":7') WHERE position = 2`,
  )
  await killed.killWriter()
  await vi.waitFor(() => expect(store.trouble()).not.toBeNull(), GENEROUS)
  await expect(store.append('media-a', 2, newEvents(1))).rejects.toBeInstanceOf(EngineUnavailable)
  expect(await store.head()).toBe(3)
  await vi.waitFor(() => expect(store.trouble()).toContain('the payload is not the one recorded'), GENEROUS)
  expect(said).toEqual(['the writer of the log died', 'the writer of the log could not be started again'])
})

test('a store that is closed while its writer is down closes', async () => {
  await using folder = await temporaryFolder()
  const killed = await killable(folder.log)
  await killed.killWriter()
  await killed[Symbol.asyncDispose]()
  await expect(killed.store.append('media-a', 'no-stream', newEvents(1))).rejects.toThrow(EngineUnavailable)
  // No process holds it any more.
  await (await openSqliteEventStore({ path: folder.log })).close()
})
