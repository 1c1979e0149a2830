import { setTimeout as pause } from 'node:timers/promises'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { newEvent, newStream } from '../testing/events.ts'
import { allBytes, filesHolding, temporaryFolder } from '../testing/folder.ts'
import { openSqliteEventStore } from './store.ts'

const filler = (bytes: number) => 'x'.repeat(bytes)

test('no file holds a byte of an event once its truncation is answered', async () => {
  await using folder = await temporaryFolder()
  const store = await openSqliteEventStore({ path: folder.log })
  const stream = newStream()
  const sizes = [10, 3_000, 9_000, 200_000]
  const events = sizes.map((size, index) => newEvent({ text: `«secret-${index}»${filler(size)}` }))
  await store.append(stream, 'no-stream', events)
  await store.append(stream, 3, [newEvent({ text: '«stays»' })])
  expect(await filesHolding(folder.path, '«secret-')).not.toEqual([])
  await store.truncate(stream, 4)
  expect(await filesHolding(folder.path, '«secret-')).toEqual([])
  expect(await filesHolding(folder.path, '«stays»')).toEqual(['log.db'])
  await store.close()
})

test('of thousands of events truncated among others, none leaves a copy behind in a page', async () => {
  await using folder = await temporaryFolder()
  const store = await openSqliteEventStore({ path: folder.log })
  const kept: number[] = []
  const gone: number[] = []
  for (let round = 0; round < 8; round++) {
    const appended = Array.from({ length: 250 }, async (_, index) => {
      const number = 250 * round + index
      const stream = newStream()
      const size = Math.floor(Math.random() * (Math.random() < 0.1 ? 20_000 : 1_500))
      await store.append(stream, 'no-stream', [newEvent({ text: `<${number}>${filler(size)}` }), newEvent()])
      return { number, stream }
    })
    const chosen = await Promise.all(appended)
    await Promise.all(
      chosen.map(async ({ number, stream }) => {
        const goes = Math.random() < 0.6
        ;(goes ? gone : kept).push(number)
        if (goes) await store.truncate(stream, 1)
      }),
    )
  }
  await store.close()
  const bytes = await allBytes(folder.path)
  const found = (numbers: number[]) => numbers.filter((number) => bytes.includes(`<${number}>`))
  expect(found(gone)).toEqual([])
  expect(found(kept)).toEqual(kept)
})

test('a snapshot that someone holds open delays the answer, and defeats neither it nor appends', async () => {
  await using folder = await temporaryFolder()
  const store = await openSqliteEventStore({ path: folder.log })
  const stream = newStream()
  await store.append(stream, 'no-stream', [newEvent({ text: '«secret»' }), newEvent()])
  const other = new DatabaseSync(folder.log, { readOnly: true })
  other.exec('BEGIN')
  other.prepare('SELECT count(*) FROM events').get()
  let answered = false
  const truncated = store.truncate(stream, 1).finally(() => (answered = true))
  await pause(150)
  expect(answered).toBe(false)
  await store.append(stream, 1, [newEvent()])
  other.exec('COMMIT')
  other.close()
  await truncated
  expect(await filesHolding(folder.path, '«secret»')).toEqual([])
  await store.close()
})

test('a scavenge finds nothing left to take out, and names what somebody wrote in place of an erased event', async () => {
  await using folder = await temporaryFolder()
  const store = await openSqliteEventStore({ path: folder.log })
  const stream = newStream()
  await store.append(stream, 'no-stream', [newEvent(), newEvent(), newEvent()])
  await store.truncate(stream, 2)
  expect(await Promise.all([1, 2, 3].map((position) => store.retains(position)))).toEqual([
    false,
    false,
    true,
  ])
  const scavenged = async () => (await store.scavenge(() => undefined)).places
  expect(await scavenged()).toEqual([
    {
      name: 'log.db',
      outcome: 'done',
      freedBytes: 0,
      said: '2 erased events are zeros in the file: nothing was left to take out',
    },
  ])
  const hand = new DatabaseSync(folder.log)
  hand.exec("UPDATE events SET event = CAST('«secret»' AS BLOB) WHERE position = 2")
  hand.close()
  expect(await scavenged()).toMatchObject([
    { outcome: 'failed', said: expect.stringContaining('the event at position 2 was erased') },
  ])
  await store.close()
})
