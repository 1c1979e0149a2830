import type { BrokenEvent, LogReport } from '@medialog/application/ports'
import type { RecordedEvent, StreamName } from '@medialog/kernel'
import { expect, test, vi } from 'vitest'
import type { ChainedEventStore } from '../log.ts'
import { LogDamaged } from '../errors.ts'
import { newEvent, newEvents } from '../testing/events.ts'
import { temporaryFolder } from '../testing/folder.ts'
import { tamper } from '../testing/tamper.ts'
import { examineInThread } from './examiner-thread.ts'
import { openSqliteEventStore } from './store.ts'

vi.setConfig({ testTimeout: 60_000 })

const ignore = () => undefined

/** Six events of `media-a` and `media-b` in turn, at positions 1 to 12. */
async function twoStreams(store: ChainedEventStore): Promise<void> {
  for (let revision = -1; revision < 5; revision++)
    for (const stream of ['media-a', 'media-b'] as const)
      await store.append(stream, revision < 0 ? 'no-stream' : revision, newEvents(1))
}

async function proven(store: ChainedEventStore): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = []
  for await (const event of store.readAll(0, { proven: true })) events.push(event)
  return events
}

/** Position 7 is revision 3 of `media-a`, 8 that of `media-b`. */
const HANDS: Record<string, { sql: string[]; broken: Partial<BrokenEvent> }> = {
  'a payload changed': {
    sql: [`UPDATE events SET event = replace(event, '"number":0', '"number":7') WHERE position = 7`],
    broken: { position: 7, stream: 'media-a', revision: 3, reason: 'the payload is not the one recorded' },
  },
  'a payload given twice': {
    sql: [
      `UPDATE events SET event = replace(event, ',"salt"', ',"data":{"number":7},"salt"') WHERE position = 7`,
    ],
    broken: { position: 7, stream: 'media-a', revision: 3, reason: 'the payload is not the one recorded' },
  },
  'a header changed': {
    sql: [
      `UPDATE events SET event = replace(event, '"actor":"contract"', '"actor":"somebody"') WHERE position = 7`,
    ],
    broken: { position: 7, stream: 'media-a', revision: 3, reason: 'the header is not the one recorded' },
  },
  'a hash changed': {
    sql: [
      `UPDATE events SET event = substr(event, 1, length(event) - 66) || '${'0'.repeat(64)}"}' WHERE position = 7`,
    ],
    broken: { position: 7, reason: 'the header is not the one recorded' },
  },
  'what is no event': {
    sql: [`UPDATE events SET event = '{}' WHERE position = 7`],
    broken: {
      position: 7,
      stream: 'media-a',
      revision: 3,
      reason: 'the row is not an event of this position',
    },
  },
  'an event taken out': {
    sql: ['DELETE FROM events WHERE position = 7'],
    broken: { position: 7, stream: 'media-a', revision: 3, reason: 'the event is missing' },
  },
  'the last of a stream taken out': {
    sql: ['DELETE FROM events WHERE position = 11'],
    broken: { position: 11, stream: null, revision: null, reason: 'the event is missing' },
  },
  'several taken out': {
    sql: ['DELETE FROM events WHERE position BETWEEN 5 AND 7'],
    broken: { position: 5, stream: null, reason: '3 events are missing' },
  },
  'two rows exchanged': {
    sql: [
      'UPDATE events SET position = 100 WHERE position = 7',
      'UPDATE events SET position = 7 WHERE position = 8',
      'UPDATE events SET position = 8 WHERE position = 100',
    ],
    broken: { position: 7, stream: 'media-b', reason: 'the row is not an event of this position' },
  },
  'two events of a stream exchanged, positions and all': {
    sql: [
      `UPDATE events SET position = 100, event = replace(event, '"position":7,', '"position":9,') WHERE position = 7`,
      `UPDATE events SET position = 7, event = replace(event, '"position":9,', '"position":7,') WHERE position = 9`,
      'UPDATE events SET position = 9 WHERE position = 100',
    ],
    broken: { position: 7, revision: 4, reason: 'it stands before revision 3 of its stream' },
  },
  'an event moved to another stream': {
    sql: [
      `INSERT INTO streams (name) VALUES ('media-c')`,
      `UPDATE events SET stream = 3, revision = 0 WHERE position = 7`,
    ],
    broken: { position: 7, stream: 'media-c', reason: 'the row holds an event of another place' },
  },
  'a stream under another name': {
    sql: [`UPDATE streams SET name = 'media-z' WHERE name = 'media-b'`],
    broken: {
      position: 2,
      stream: 'media-z',
      revision: 0,
      reason: 'the row holds an event of another place',
    },
  },
  'zeros in the middle of a stream': {
    sql: ['UPDATE events SET event = zeroblob(octet_length(event)) WHERE position = 7'],
    broken: { position: 7, stream: 'media-a', reason: 'it is erased, and the revision before it is not' },
  },
  'zeros at the end of a stream': {
    sql: [`UPDATE events SET event = zeroblob(octet_length(event)) WHERE stream = 1`],
    broken: { position: 11, reason: 'it is erased, and nothing follows it in its stream' },
  },
}

test.each(Object.keys(HANDS))(
  '%s is named, with its place: by verifying, by a proven read, by a start',
  async (hand) => {
    const { sql, broken } = HANDS[hand]!
    await using folder = await temporaryFolder()
    const store = await openSqliteEventStore({ path: folder.log })
    await twoStreams(store)
    // A second connection changes the file beneath the open store.
    tamper(folder.log, ...sql)
    const report = await store.verify(ignore)
    expect(report).toMatchObject({ found: 1, findings: [broken] })
    expect(report.position).toBe(broken.position! - 1)
    expect(report.events + report.erased).toBe(report.position)
    const reading = proven(store)
    await expect(reading).rejects.toBeInstanceOf(LogDamaged)
    await expect(reading).rejects.toThrow(`position ${broken.position}`)
    await expect(reading).rejects.toThrow(report.findings[0]!.reason)
    await store.close()
    await expect(openSqliteEventStore({ path: folder.log })).rejects.toThrow(report.findings[0]!.reason)
  },
)

test('a read of a row that cannot be read names it', async () => {
  await using folder = await temporaryFolder()
  const store = await openSqliteEventStore({ path: folder.log })
  await twoStreams(store)
  tamper(folder.log, `UPDATE events SET event = '{"id":' WHERE position = 7`)
  const read = async (events: AsyncIterable<RecordedEvent>) => {
    for await (const _ of events);
  }
  const signal = new AbortController().signal
  const subscribed = async () => {
    for await (const { live } of store.subscribe(0, { signal })) if (live) return
  }
  for (const reading of [read(store.readAll(0)), read(store.read('media-a')), subscribed()])
    await expect(reading).rejects.toThrow(
      /is damaged \(position 7, revision 3 of media-a: the row is not an event/,
    )
  await store.close()
})

test('a good log is proven whole, erased pasts included, and read as without a proof', async () => {
  await using folder = await temporaryFolder()
  const store = await openSqliteEventStore({ path: folder.log })
  await twoStreams(store)
  await store.append('media-odd', 'no-stream', [
    newEvent({
      text: 'ünïcode \ud83d\ude00 "quoted" \ud83d ,"position":13,"data":',
      nested: { '10': 1, '9': [] },
    }),
  ])
  await store.truncate('media-a', 4)
  const told: number[] = []
  const report: LogReport = await store.verify(({ position, head }) => told.push(position / head))
  expect(report).toMatchObject({ events: 9, erased: 4, position: 13, found: 0 })
  expect(told.every((ratio) => ratio > 0 && ratio <= 1)).toBe(true)
  const plain: RecordedEvent[] = []
  for await (const event of store.readAll(0)) plain.push(event)
  expect(await proven(store)).toEqual(plain)
  const some: number[] = []
  for await (const { position } of store.readAll(1, { proven: true, limit: 3 })) some.push(position)
  expect(some).toEqual([2, 4, 6])
  await store.close()
})

test('a long log is proven at its start from where it was proven before; verifying finds what is older', async () => {
  await using folder = await temporaryFolder()
  let store = await openSqliteEventStore({ path: folder.log })
  const streams = Array.from({ length: 102 }, (_, number): StreamName => `media-${number}`)
  for (const stream of streams) await store.append(stream, 'no-stream', newEvents(500))
  // The mark moves with a proof.
  expect((await store.verify(ignore)).position).toBe(51_000)
  await store.close()
  const change = (position: number, from = '"actor":"contract"', to = '"actor":"somebody"') =>
    tamper(
      folder.log,
      `UPDATE events SET event = replace(event, '${from}', '${to}') WHERE position = ${position}`,
    )
  change(20)
  store = await openSqliteEventStore({ path: folder.log })
  expect((await store.verify(ignore)).findings).toMatchObject([
    { position: 20, stream: 'media-0', revision: 19 },
  ])
  await store.close()
  change(50_900)
  await expect(openSqliteEventStore({ path: folder.log })).rejects.toThrow(
    'position 50900, revision 399 of media-101',
  )
  change(50_900, '"actor":"somebody"', '"actor":"contract"')
  // Without its mark nothing counts as proven.
  tamper(folder.log, 'DELETE FROM proven')
  await expect(openSqliteEventStore({ path: folder.log })).rejects.toThrow(
    'position 20, revision 19 of media-0',
  )
  change(20, '"actor":"somebody"', '"actor":"contract"')
  await (await openSqliteEventStore({ path: folder.log })).close()
  // What was proven must still be there.
  tamper(folder.log, 'DELETE FROM events WHERE position > 50990')
  await expect(openSqliteEventStore({ path: folder.log })).rejects.toThrow(
    'it was proven up to position 51000, and ends before that',
  )
})

test('closing the store breaks a proof off', async () => {
  await using folder = await temporaryFolder()
  const store = await openSqliteEventStore({ path: folder.log })
  await store.append('media-a', 'no-stream', newEvents(2_000))
  const outcome = store.verify(ignore).catch((error: Error) => error.message)
  await store.close()
  expect(await outcome).toBe('the proof was broken off')
})

test('an examination is broken off by closing the store, and says why it cannot read', async () => {
  await using folder = await temporaryFolder()
  const store = await openSqliteEventStore({ path: folder.log })
  await store.append('media-a', 'no-stream', newEvents(2_000))
  const outcome = (async () => {
    for await (const _ of store.examine()) await store.close()
  })()
  await expect(outcome).rejects.toThrow('the proof was broken off')
  const nowhere = examineInThread(`${folder.log}-none`, new AbortController().signal)
  await expect(nowhere.next()).rejects.toThrow('the log could not be read')
})
