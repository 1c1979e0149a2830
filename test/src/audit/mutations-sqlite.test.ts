import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { firstPrev, headerJson, link } from '@medialog/event-store/chain'
import { openSqliteEventStore, type ChainedEvent } from '@medialog/event-store'
import { storedText } from '@medialog/event-store/sqlite/stored-event'
import { newEvent } from '@medialog/event-store/testing/events'
import { temporaryFolder } from '@medialog/event-store/testing/folder'
import { tamper } from '@medialog/event-store/testing/tamper'
import { expect, test, vi } from 'vitest'
import type { Finding } from '@medialog/application'
import { auditLog, history } from './audited-log.ts'

vi.setConfig({ testTimeout: 120_000 })

/** Position 7 is revision 3 of `media-a`, 8 that of `media-b`, 12 its last; 13 and 14 are erased. */
async function audited() {
  const folder = await temporaryFolder()
  const leaves = join(folder.path, 'audit', 'leaves.sqlite')
  const store = await openSqliteEventStore({ path: folder.log })
  const log = auditLog(store, leaves)
  const note = await history(store, log)
  return {
    store,
    log,
    note,
    path: folder.log,
    leaves,
    async [Symbol.asyncDispose]() {
      await log.close()
      await store.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** Rows exchanged, with the positions that they say of themselves: the chain of a stream does not see it. */
const exchange = (one: number, other: number): string[] => [
  `UPDATE events SET position = 100, event = replace(event, '"position":${one},', '"position":${other},') WHERE position = ${one}`,
  `UPDATE events SET position = ${one}, event = replace(event, '"position":${other},', '"position":${one},') WHERE position = ${other}`,
  `UPDATE events SET position = ${other} WHERE position = 100`,
]

const a3 = { position: 7, stream: 'media-a', revision: 3 } as const
const b3 = { position: 8, stream: 'media-b', revision: 3 } as const

const HANDS: Record<string, { sql: string[]; findings: Partial<Finding>[] }> = {
  'a byte of a payload flipped': {
    sql: [`UPDATE events SET event = replace(event, '"number":3', '"number":2') WHERE position = 7`],
    findings: [{ what: 'changed', ...a3, reason: 'the payload is not the one recorded' }],
  },
  'a byte of a header flipped': {
    sql: [`UPDATE events SET event = replace(event, '"contract"', '"contracu"') WHERE position = 7`],
    findings: [{ what: 'changed', ...a3, reason: 'the header is not the one recorded' }],
  },
  'a row that is no event any more': {
    sql: [`UPDATE events SET event = replace(event, '{', '[') WHERE position = 7`],
    findings: [{ what: 'changed', ...a3 }],
  },
  'events taken out': {
    sql: ['DELETE FROM events WHERE position IN (7, 8)'],
    findings: [
      { what: 'missing', ...a3 },
      { what: 'missing', ...b3 },
    ],
  },
  'the last of a stream taken out': {
    sql: ['DELETE FROM events WHERE position = 12'],
    findings: [{ what: 'missing', position: 12, stream: 'media-b', revision: 5 }],
  },
  'the tail cut off': {
    sql: ['DELETE FROM events WHERE position >= 16'],
    findings: [
      { what: 'missing', position: 16, stream: 'media-a', revision: 6 },
      { what: 'missing', position: 17, stream: 'media-a', revision: 7 },
      { what: 'missing', position: 18, stream: 'checkpoints-log', revision: 0 },
    ],
  },
  'two rows exchanged': {
    sql: [
      'UPDATE events SET position = 100 WHERE position = 7',
      'UPDATE events SET position = 7 WHERE position = 8',
      'UPDATE events SET position = 8 WHERE position = 100',
    ],
    findings: [
      { what: 'changed', stream: 'media-b', revision: 3, reason: 'the row is not an event of this position' },
      { what: 'reordered', stream: 'media-a', revision: 3 },
    ],
  },
  'two events of different streams exchanged, positions and all': {
    sql: exchange(7, 8),
    findings: [
      { what: 'reordered', stream: 'media-b', revision: 3, position: 7 },
      { what: 'reordered', stream: 'media-a', revision: 3, position: 8 },
    ],
  },
  'two events of a stream exchanged, positions and all': {
    sql: exchange(7, 9),
    findings: [
      { what: 'reordered', stream: 'media-a', revision: 4, position: 7 },
      { what: 'reordered', stream: 'media-a', revision: 3, position: 9 },
    ],
  },
  'an event moved to another stream': {
    sql: ['UPDATE events SET stream = 3, revision = 9 WHERE position = 7'],
    findings: [
      { what: 'changed', position: 7 },
      { what: 'missing', ...a3 },
    ],
  },
  'a past erased that nothing deleted': {
    sql: ['UPDATE events SET event = zeroblob(octet_length(event)) WHERE stream = 2 AND revision < 2'],
    findings: [
      { what: 'missing', position: 2, stream: 'media-b', revision: 0 },
      { what: 'missing', position: 4, stream: 'media-b', revision: 1 },
    ],
  },
}

test.each(Object.keys(HANDS))('%s is found and named', async (hand) => {
  await using it = await audited()
  expect(await it.log.verify(it.note)).toMatchObject({ events: 16, erased: 2, found: 0, checkpoints: 2 })
  const { sql, findings } = HANDS[hand]!
  tamper(it.path, ...sql)
  const report = await it.log.verify()
  expect(report.findings).toMatchObject(findings)
  expect(report.found).toBe(findings.length)
})

/** `media-c` goes on behind its deletion, revision 2 at position 15: revisions 3 and 4 at 19 and 20. */
const BEHIND_A_DELETION: Record<string, { sql: string[]; erased: number; findings: Partial<Finding>[] }> = {
  'an erased past whose rows are gone is erased': {
    sql: ['DELETE FROM events WHERE position IN (13, 14)'],
    erased: 2,
    findings: [],
  },
  'what came after a deletion, taken out, is missing': {
    sql: ['DELETE FROM events WHERE position = 19'],
    erased: 2,
    findings: [{ what: 'missing', position: 19, stream: 'media-c', revision: 3 }],
  },
  'what came after a deletion, erased, is missing': {
    sql: ['UPDATE events SET event = zeroblob(octet_length(event)) WHERE position = 20'],
    erased: 2,
    findings: [{ what: 'missing', position: 20, stream: 'media-c', revision: 4 }],
  },
  'a deletion taken out is missing, with all that it erased': {
    sql: ['DELETE FROM events WHERE position = 15'],
    erased: 0,
    findings: [
      { what: 'missing', position: 13, stream: 'media-c', revision: 0 },
      { what: 'missing', position: 14, stream: 'media-c', revision: 1 },
      { what: 'missing', position: 15, stream: 'media-c', revision: 2 },
    ],
  },
}

test.each(Object.keys(BEHIND_A_DELETION))('%s', async (hand) => {
  await using it = await audited()
  await it.store.append('media-c', 2, [newEvent({ number: 3 }), newEvent({ number: 4 })])
  const note = await it.log.checkpoint()
  // All three checkpoints are held against the tree, whichever was brought.
  expect(await it.log.verify(note)).toMatchObject({ erased: 2, found: 0, checkpoints: 3 })
  const { sql, erased, findings } = BEHIND_A_DELETION[hand]!
  tamper(it.path, ...sql)
  const report = await it.log.verify(note)
  expect(report.findings.toSorted((a, b) => a.position! - b.position!)).toMatchObject(findings)
  expect(report).toMatchObject({ erased, found: findings.length })
})

/** A row anew, its links made as they should be: the chain has no secret. */
function forged(event: ChainedEvent, change: Partial<ChainedEvent>): { text: string } & ChainedEvent {
  const made = { ...event, ...change }
  const header = headerJson({ ...made, metadata: JSON.stringify(made.metadata) })
  const data = JSON.stringify(made.data)
  const links = link(made.prev, header, made.salt!, data)
  const whole = { ...made, ...links, salt: made.salt! }
  return { ...whole, text: storedText({ ...whole, header, data }, made.position) }
}

async function eventAt(
  it: { store: { eventAt(position: number): Promise<ChainedEvent | null> } },
  position: number,
) {
  return (await it.store.eventAt(position))!
}

function write(path: string, sql: string, ...values: (string | number)[]): void {
  const database = new DatabaseSync(path)
  database.prepare(sql).run(...values)
  database.close()
}

test('an event that was made anew with good links is found, though its chain is whole', async () => {
  await using it = await audited()
  const { text } = forged(await eventAt(it, 12), { data: { number: 500 } })
  write(it.path, 'UPDATE events SET event = ? WHERE position = 12', text)
  expect((await it.store.verify(() => undefined)).found).toBe(0)
  expect((await it.log.verify()).findings).toMatchObject([
    { what: 'changed', position: 12, stream: 'media-b', revision: 5 },
  ])
})

test('a rewritten event with correct links breaks the chain at the next event', async () => {
  await using it = await audited()
  const { text } = forged(await eventAt(it, 7), { data: { number: 500 } })
  write(it.path, 'UPDATE events SET event = ? WHERE position = 7', text)
  const reason = 'prev is not the hash of the event before'
  expect((await it.store.verify(() => undefined)).findings).toMatchObject([
    { position: 9, revision: 4, reason },
  ])
  expect((await it.log.verify()).findings).toContainEqual(expect.objectContaining({ what: 'changed', ...a3 }))
})

test('an event put in between, all behind it moved up, is found and named, though every chain is whole', async () => {
  await using it = await audited()
  const like = await eventAt(it, 8)
  const { text } = forged(like, { stream: 'media-z', revision: 0, prev: firstPrev('media-z') })
  const database = new DatabaseSync(it.path)
  for (let position = 18; position >= 8; position--)
    database.exec(
      `UPDATE events SET position = ${position + 1}, event = iif(typeof(event) = 'text', replace(event, '"position":${position},', '"position":${position + 1},'), event) WHERE position = ${position}`,
    )
  const stream = database.prepare("INSERT INTO streams (name) VALUES ('media-z')").run().lastInsertRowid
  database.prepare('INSERT INTO events VALUES (8, ?, 0, ?)').run(stream, text)
  database.close()
  expect((await it.store.verify(() => undefined)).found).toBe(0)
  expect((await it.log.verify()).findings).toMatchObject([
    { what: 'inserted', position: 8, stream: 'media-z', revision: 0 },
    // And what it moved, said once.
    { what: 'reordered', position: 9, stream: 'media-b', revision: 3 },
  ])
})

test('a tail cut off together with its leaves is found by the checkpoint that was exported', async () => {
  await using it = await audited()
  tamper(it.leaves, 'DELETE FROM leaves WHERE position >= 16')
  tamper(it.path, 'DELETE FROM events WHERE position >= 16')
  expect((await it.log.verify()).findings).toEqual([])
  expect((await it.log.verify(it.note)).findings).toMatchObject([
    { what: 'cut', reason: expect.stringContaining("signed over 17 events, and the log's tree has 15") },
  ])
})

test('log and leaves rewritten alike are found by every checkpoint that covers them', async () => {
  await using it = await audited()
  const { text, hash } = forged(await eventAt(it, 12), { data: { number: 500 } })
  write(it.path, 'UPDATE events SET event = ? WHERE position = 12', text)
  write(it.leaves, 'UPDATE leaves SET hash = unhex(?) WHERE position = 12', hash)
  expect((await it.log.verify(it.note)).findings).toMatchObject([
    { what: 'rewritten', reason: expect.stringContaining('17 events') },
    { what: 'rewritten' },
  ])
})

test('leaves of which none is left are made again; what was erased meanwhile is missing from them', async () => {
  await using it = await audited()
  await it.log.close()
  tamper(it.leaves, 'DELETE FROM leaves', 'DELETE FROM blocks')
  const again = auditLog(it.store, it.leaves)
  await vi.waitFor(async () => expect((await again.verify()).size).toBe(16), { timeout: 30_000 })
  // The tree is another one without the two: no checkpoint of before proves it.
  expect((await again.verify()).findings).toMatchObject([{ what: 'cut' }])
  await again.close()
})

test.each(['WebhooksErased', 'MediaDeleted'])(
  'an event of the type %s in a stream of another kind is named, and takes no past away',
  async (type) => {
    await using it = await audited()
    await it.store.append('ledger-d', 'no-stream', [newEvent({ number: 0 }, 'BalanceCharged')])
    await it.store.append('ledger-d', 0, [newEvent({}, type)])
    await it.log.checkpoint()
    const planted = { what: 'inserted', position: 20, stream: 'ledger-d', revision: 1 }
    expect((await it.log.verify()).findings).toMatchObject([planted])
    for (const taken of [
      'UPDATE events SET event = zeroblob(octet_length(event)) WHERE position = 19',
      'DELETE FROM events WHERE position = 19',
    ]) {
      tamper(it.path, taken)
      const { findings } = await it.log.verify(it.note)
      expect(findings.toSorted((one, other) => one.position! - other.position!)).toMatchObject([
        { what: 'missing', position: 19, stream: 'ledger-d', revision: 0 },
        planted,
      ])
    }
  },
)
