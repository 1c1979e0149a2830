import { encodeEvent } from '@medialog/contract'
import { usd, type RecordedEvent } from '@medialog/kernel'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { newId } from '../core/ids.ts'
import { lastEvent } from '../event-sourcing/streams.ts'
import { EngineUnavailable, type EventStore } from '../ports/index.ts'
import type { Auditing, LedgerEntry, LedgerQuery, LedgerReport } from './ledger.ts'
import { replayLedger } from './replay-ledger.ts'
import { FILE, openBooks } from './testing/bookkeeping.ts'

type Books = Awaited<ReturnType<typeof openBooks>>
const EVER: LedgerQuery = { from: 0, until: Date.parse('2100-01-01') }
const DAY = 24 * 3_600_000
const SEARCH = [{ price: 'ADVANCED_SEARCH', amount: usd('0.03') }]

let books: Books
beforeEach(async () => {
  books = await openBooks()
})
afterEach(() => books.close())

async function replayed(
  query: Partial<LedgerQuery> = {},
  changes: Partial<Auditing> = {},
  upTo?: number | null,
): Promise<{ entries: LedgerEntry[]; report: LedgerReport }> {
  const replay = replayLedger({ ...books.ports, ...changes }, books.accountId, { ...EVER, ...query }, upTo)
  const entries: LedgerEntry[] = []
  for (;;) {
    const { done, value } = await replay.next()
    if (done) return { entries, report: value }
    entries.push(...value)
  }
}

/** Which lines do not hold, with what was found. */
/** SQL for a document with other amounts. */
const plus = (amounts: Record<string, number>): string => {
  const changes = Object.entries(amounts).map(
    ([path, more]) => `'$.${path}', CAST(CAST(body ->> '$.${path}' AS INTEGER) + ${more} AS TEXT)`,
  )
  return `json_set(body, ${changes.join(', ')})`
}

const broken = ({ proof }: LedgerReport) =>
  proof.flatMap(({ name, holds, trouble, faults }) => (holds ? [] : [{ name, holds, trouble, faults }]))

/** Two months of everything that is paid for. */
async function everything(): Promise<{ batchId: string; jobIds: string[]; search: string; open: string }> {
  await books.open()
  await books.credit('10', 'opening')
  const { batchId, jobIds } = await books.batch(2, 1)
  books.clock.time = Date.parse('2026-11-02T09:00:00Z')
  const search = newId()
  await books.charge(search, SEARCH, { operation: 'search', requestId: search })
  await books.refund(`unused-${search}`, search, [{ price: 'ADVANCED_SEARCH', amount: usd('0.01') }])
  await books.settle(search)
  const open = newId()
  await books.charge(open, [...FILE], { operation: 'upload', requestId: open, jobId: open })
  return { batchId, jobIds, search, open }
}

describe('the postings', () => {
  test('have their balance and what caused them', async () => {
    const { batchId, jobIds, search, open } = await everything()
    const { entries, report } = await replayed()
    const told = entries.map(
      ({ kind, amount, balance, cause, jobId, filename, files, reference, actor }) => ({
        told: `${kind} ${amount} ${balance} ${cause?.operation} ${actor}`,
        batchId: cause?.batchId,
        jobId,
        filename,
        files,
        reference,
      }),
    )
    const nothing = { batchId: undefined, jobId: null, filename: null, files: null, reference: null }
    expect(told).toEqual([
      { ...nothing, told: 'credit 10000000000 10000000000 undefined key00001', reference: 'opening' },
      { ...nothing, told: 'charge -120000000 9880000000 batch key00001', batchId, files: 3 },
      {
        told: 'refund 40000000 9920000000 batch key00001',
        batchId,
        jobId: jobIds[2],
        filename: 'file-2.txt',
        files: 1,
        reference: 'corrupted',
      },
      { ...nothing, told: 'charge -30000000 9890000000 search key00001' },
      { ...nothing, told: 'refund 10000000 9900000000 search key00001', reference: 'not used' },
      { ...nothing, told: 'charge -40000000 9860000000 upload key00001', jobId: open, files: 1 },
    ])
    expect(entries.map(({ id }) => id).slice(-3)).toEqual([search, `unused-${search}`, open])
    expect(entries.map(({ revision }) => revision)).toEqual([0, 1, 2, 5, 6, 8])
    expect(broken(report)).toEqual([])
  })

  test('are those of the range, and of the window in it; the books are of all', async () => {
    await everything()
    const from = Date.parse('2026-11-01')
    const { entries, report } = await replayed({ from, window: { offset: 1, limit: 1 } })
    expect(entries.map(({ kind }) => kind)).toEqual(['refund'])
    expect(report).toMatchObject({
      postings: 6,
      shown: 3,
      opening: usd('9.92'),
      closing: usd('9.86'),
      totals: { credited: 0n, charged: usd('0.07'), refunded: usd('0.01') },
      books: [{ into: '2026-11', balance: usd('9.92') }],
      openCharges: { count: 1, rest: usd('0.04') },
      holds: true,
    })
    expect(report.costs).toEqual(
      new Map([
        ['ADVANCED_SEARCH', usd('0.02')],
        ['DOCUMENT_PROCESSING', usd('0.03')],
        ['VECTOR_PROCESSING', usd('0.01')],
      ]),
    )
    const checked = Object.fromEntries(report.proof.map(({ name, checked }) => [name, checked]))
    expect(checked).toMatchObject({ sequence: 9, sums: 6, refunds: 2, books: 1, batches: 1, postings: 6 })
  })

  test('end before the end of the history that was asked for', async () => {
    await everything()
    const { entries, report } = await replayed({ until: Date.parse('2026-11-01') })
    expect(entries).toHaveLength(3)
    expect(report).toMatchObject({ postings: 3, closing: usd('9.92'), holds: true })
  })

  test('end there for clocks that run apart, too', async () => {
    await books.credit('1')
    const charged = newId()
    await books.charge(charged, [...FILE], { operation: 'upload' })
    const noon = books.clock.time
    books.clock.time = noon + 5_000
    await books.settle(charged)
    books.clock.time = noon + 1_000
    await books.credit('2')
    books.clock.time = noon + 6_000
    await books.credit('4')
    const { entries, report } = await replayed({ until: noon + 2_000 })
    expect(entries.map(({ kind }) => kind)).toEqual(['credit', 'charge', 'credit'])
    expect(broken(report)).toEqual([])
    // What stands before a posting of the history in the log is of the history, too.
    expect(report).toMatchObject({ closing: usd('2.96'), openCharges: { count: 0 } })
  })

  test('hold and stay the same at every past moment, whenever a charge was settled', async () => {
    const at = (time: string) => (books.clock.time = Date.parse(time))
    const charge = async (chargeId = newId()) => {
      await books.charge(chargeId, [...FILE], { operation: 'upload' })
      return chargeId
    }
    await books.credit('10')
    at('2026-11-30T23:59:59Z')
    const [settled, refunded, open] = [await charge(), await charge(), await charge()]
    at('2026-12-01T00:00:01Z')
    await books.settle(settled)
    await books.refund('all', refunded, [...FILE])
    const moments = ['2026-11-30T23:59:59.001Z', '2026-12-01', '2026-12-02', '2026-12-31'].map(Date.parse)
    const before = await Promise.all(moments.map((until) => replayed({ until })))
    at('2027-01-03T00:00:00Z')
    await books.paid('upload', [...FILE])
    await books.settle(open)
    at('2027-03-03T00:00:00Z')
    await books.paid('upload', [...FILE])
    for (const [index, until] of moments.entries()) {
      const { entries, report } = await replayed({ until })
      expect([until, report.holds, report.proof.flatMap(({ faults }) => faults)]).toEqual([until, true, []])
      expect(entries).toEqual(before[index]!.entries)
      expect({ ...report, isOver: false }).toEqual({ ...before[index]!.report, isOver: false })
    }
    const counts = before.map(({ report }) => report.openCharges.count)
    expect(counts).toEqual([3, 3, 1, 1])
  })

  test('know the name of a file until its item is erased, and which file it was when it is replaced', async () => {
    const { items, accountId } = books
    await books.open()
    await books.credit('10')
    books.clock.time = Date.parse('2026-11-20T09:59:00Z')
    const first = await items.upload(accountId, 'a.txt', 'one')
    const overwritten = await items.overwrite(accountId, 'a.txt', 'two')
    const gone = await items.upload(accountId, 'gone.txt', 'three')
    await items.fail(accountId, 'bad.txt', 'four')
    await items.remove(accountId, gone.mediaId, gone.ingestId)
    await items.erase(accountId, gone.mediaId, gone.ingestId)
    books.clock.time = Date.parse('2026-11-21T09:00:00Z')
    await books.paid('ask', [{ price: 'RAG_QUERY', amount: usd('0.01') }], { mediaId: first.mediaId })
    const { entries, report } = await replayed()
    expect(entries.map(({ kind, jobId, filename }) => ({ kind, jobId, filename }))).toEqual([
      { kind: 'credit', jobId: null, filename: null },
      { kind: 'charge', jobId: first.ingestId, filename: 'a.txt' },
      { kind: 'charge', jobId: overwritten.ingestId, filename: 'a.txt' },
      { kind: 'charge', jobId: gone.ingestId, filename: null },
      { kind: 'charge', jobId: expect.any(String), filename: null },
      { kind: 'refund', jobId: expect.any(String), filename: null },
      { kind: 'charge', jobId: null, filename: 'a.txt' },
    ])
    expect(broken(report)).toEqual([])
  })

  test('say of how many files they are, as long as the batch is known', async () => {
    await books.credit('10')
    const { batchId, jobIds } = await books.batch(2, 1, 1)
    const one = await books.batch(1, 0, 1)
    const rejected = newId()
    await books.charge(rejected, [...FILE], { operation: 'batch', batchId })
    await books.refund('all of it', rejected, [...FILE])
    const filesOf = async () =>
      (await replayed()).entries
        .filter(({ kind }) => kind !== 'credit')
        .map(({ kind, jobId, filename, files }) => [kind, jobId, filename, files])
    const known = [
      ['charge', null, null, 3],
      ['refund', jobIds[2], 'file-2.txt', 1],
      ['charge', one.jobIds[0], 'file-0.txt', 1],
      ['charge', null, null, 3],
      ['refund', null, null, 3],
    ]
    expect(await filesOf()).toEqual(known)
    const erased = { accountId: books.accountId, price: [...FILE], succeeded: 2, at: books.clock.time }
    await books.batchIs(batchId, { type: 'EraseBatch', ...erased })
    expect(await filesOf()).toEqual(known.map((of, index) => (index === 2 ? of : [of[0], null, null, null])))
    expect((await replayed()).report.proof.find(({ name }) => name === 'batches')?.faults).toHaveLength(1)
  })

  test('begin with the first of that time', async () => {
    await books.credit('1')
    books.clock.time += 5
    await books.credit('2')
    const from = books.clock.time
    expect((await replayed({ from })).report).toMatchObject({ opening: usd('1'), shown: 1 })
    expect((await replayed({ from: from + 1 })).report).toMatchObject({ opening: usd('3'), shown: 0 })
  })

  test('leave a hundred open charges named, and all of them counted', async () => {
    await books.credit('10')
    for (let n = 0; n < 101; n++) await books.charge(newId(), SEARCH, { operation: 'search' })
    const { openCharges } = (await replayed()).report
    expect([openCharges.count, openCharges.rest, openCharges.first.length]).toEqual([101, usd('3.03'), 100])
  })

  test('are empty for an account without any; for an unknown account they are not found', async () => {
    await expect(replayed()).rejects.toMatchObject({ code: 'ACCOUNT_NOT_FOUND' })
    await books.open()
    const { entries, report } = await replayed()
    expect(entries).toEqual([])
    expect(report).toMatchObject({ revision: null, opening: 0n, closing: 0n, holds: true })
  })

  test('of a clock a year ahead count when the clock is right again, at every past moment', async () => {
    await books.open()
    await books.credit('10', 'opening')
    const now = books.clock.time
    const until = (time: number) => replayed({ until: time })
    books.clock.time = now + 365 * DAY
    const search = newId()
    await books.charge(search, SEARCH, { operation: 'search', requestId: search })
    await books.settle(search)
    expect((await until(now + DAY)).report).toMatchObject({ postings: 1, isOver: false, holds: true })
    for (let hour = 1; hour <= 3; hour++) {
      books.clock.time = now + hour * 3_600_000
      const id = newId()
      await books.charge(id, SEARCH, { operation: 'search', requestId: id })
      await books.settle(id)
    }
    const { entries, report } = await until(now + DAY)
    expect(broken(report)).toEqual([])
    expect(report).toMatchObject({ postings: 5, isOver: false, closing: usd('9.88') })
    expect(report.openCharges.count).toBe(0)
    expect(entries.map(({ at }) => (at - now) / 3_600_000)).toEqual([0, 1, 1, 2, 3])
    for (const { at } of entries)
      for (const moment of [at, at + 1]) expect(broken((await until(moment)).report)).toEqual([])
    books.clock.time = now + 40 * DAY
    await books.credit('1', 'later')
    expect((await until(now + 30 * DAY)).report).toMatchObject({ postings: 5, closing: usd('9.88') })
  })

  test('of a long ledger come in pages, all of them', async () => {
    await books.credit('100')
    for (let n = 0; n < 600; n++) await books.charge(newId(), [...FILE], { operation: 'upload' })
    const pages = []
    for await (const page of replayLedger(books.ports, books.accountId, EVER)) pages.push(page.length)
    expect(pages).toEqual([256, 256, 89])
  })

  test('of another walk end where the first did, and are not compared again', async () => {
    await everything()
    const { report } = await replayed()
    await books.credit('1')
    const again = await replayed({}, { usage: null as never }, report.revision)
    expect(again.entries).toHaveLength(6)
    expect(again.report.revision).toBe(report.revision)
    expect((await replayed({}, { usage: null as never }, null)).entries).toEqual([])
  })

  test('add up over three closings of the books with a charge that stays open, refunded part by part', async () => {
    await books.credit('1')
    const chargeId = newId()
    await books.charge(chargeId, [{ price: 'RAG_QUERY', amount: usd('0.05') }], { operation: 'batch' })
    const part = [{ price: 'RAG_QUERY', amount: usd('0.01') }]
    for (const month of ['2026-11', '2026-12', '2027-01']) {
      books.clock.time = Date.parse(`${month}-03T00:00:00Z`)
      await books.credit('0.10')
      // Each of them twice: what was refunded before the books were closed, too.
      for (const id of ['a', 'b', month]) await books.refund(`refund ${id}`, chargeId, part)
    }
    const { entries, report } = await replayed()
    expect(entries.filter(({ kind }) => kind === 'refund').map(({ id }) => id)).toEqual([
      'refund a',
      'refund b',
      'refund 2026-11',
      'refund 2026-12',
      'refund 2027-01',
    ])
    expect(report).toMatchObject({ closing: usd('1.30'), openCharges: { count: 0 }, holds: true })
    expect(report.books.map(({ into }) => into)).toEqual(['2026-11', '2026-12', '2027-01'])
  })

  test('go on past an event that this release does not know', async () => {
    await books.credit('1')
    const at = books.clock.time
    const credited = {
      type: 'BalanceCredited',
      creditId: 'c',
      amount: usd('1'),
      reference: null,
      at,
    } as const
    const metadata = { timestamp: '2026-10-05T10:00:00.000Z', actor: 'system' }
    await books.store.append(`ledger-${books.accountId}`, 0, [
      { id: newId(), type: 'OfALaterRelease', version: 1, data: {}, metadata },
      { id: newId(), metadata: { ...metadata, correlationId: 'caller' }, ...encodeEvent(credited) },
    ])
    const { entries, report } = await replayed()
    expect(report).toMatchObject({ revision: 2, closing: usd('2'), holds: true })
    expect(entries.map(({ correlationId }) => correlationId)).toEqual([null, 'caller'])
    expect(report.hash).toBe(entries[1]!.hash)
  })
})

describe('the proof names', () => {
  const at = () => books.clock.time
  const wrong = async (name: string) => {
    const { report } = await replayed()
    expect(report.holds).toBe(false)
    return broken(report).find((line) => line.name === name)?.faults
  }

  test('a refund that the events do not carry', async () => {
    await books.credit('1')
    const lines = [...FILE]
    await books.forge({
      type: 'BalanceRefunded',
      refundId: 'r',
      chargeId: 'nothing',
      amount: usd('0.04'),
      lines,
      reason: 'forged',
      at: at(),
    })
    expect(await wrong('refunds')).toEqual([
      { revision: 1, position: 14, subject: 'r', reason: 'its charge nothing is not open' },
    ])
  })

  test('an event that cannot be read', async () => {
    await books.credit('1')
    const metadata = { timestamp: '2026-10-05T10:00:00.000Z', actor: 'nobody' }
    await books.store.append(`ledger-${books.accountId}`, 0, [
      { id: newId(), type: 'BalanceCredited', version: 1, data: { amount: 'much' }, metadata },
    ])
    const { entries, report } = await replayed({}, {}, 1)
    expect(entries).toHaveLength(1)
    expect(broken(report)).toMatchObject([
      {
        name: 'sequence',
        faults: [{ revision: 1, reason: 'it is no BalanceCredited that any release wrote' }],
      },
    ])
  })

  test('a batch that cost something else than what succeeded', async () => {
    await books.credit('10')
    const { batchId } = await books.batch(1, 0)
    const [charge] = [...(await replayed()).entries].filter(({ kind }) => kind === 'charge')
    expect(charge).toMatchObject({ files: 1, filename: 'file-0.txt' })
    const other = newId()
    await books.charge(other, [...FILE, { price: 'RAG_QUERY', amount: 1n }], { operation: 'batch', batchId })
    await books.settle(other)
    expect(await wrong('batches')).toMatchObject([
      {
        subject: `batch_${batchId}`,
        reason: 'it cost 0.040000001 USD; 1 file that succeeded at 0.04: 0.04',
      },
    ])
    const lost = newId()
    await books.paid('batch', [...FILE], { batchId: lost })
    expect((await wrong('batches'))?.at(-1)).toMatchObject({
      subject: `batch_${lost}`,
      reason: 'it was charged, and there is no such batch',
    })
  })

  test.each<[string, (event: RecordedEvent) => RecordedEvent[], string]>([
    [
      'an event that is missing',
      (event) => (event.revision === 0 ? [] : [event]),
      'it stands where revision 0 is expected',
    ],
    [
      'an event that is not chained to the one before it',
      (event) => [{ ...event, hash: event.revision === 0 ? 'another' : event.hash }],
      'it is not chained to the event before it',
    ],
  ])('%s', async (_, changed, reason) => {
    await books.credit('1')
    await books.credit('2')
    const events = books.store.read.bind(books.store)
    const eventStore = {
      async *read(...args: Parameters<typeof events>) {
        for await (const event of events(...args)) yield* args[1] ? [event] : changed(event)
      },
    } as Partial<EventStore> as EventStore
    const { report } = await replayed({}, { eventStore })
    expect(broken(report)[0]).toMatchObject({ name: 'sequence', faults: [{ revision: 1, reason }] })
  })

  test('a month whose books carry over something else, and a settlement of nothing', async () => {
    await books.credit('1')
    const totals = { credited: usd('1'), charged: 0n, refunded: 0n }
    await books.forge({ type: 'BooksClosed', month: '2026-11', balance: 1n, totals, openCharges: [] })
    books.clock.time = Date.parse('2026-11-02T09:00:00Z')
    await books.credit('1')
    expect(await wrong('books')).toMatchObject([{ revision: 1, subject: '2026-11' }])
    await books.forge({ type: 'ChargeSettled', chargeId: 'none', at: at() })
    const { eventStore } = books.ports
    const last = await lastEvent(eventStore, `ledger-${books.accountId}`)
    expect(await wrong('refunds')).toMatchObject([{ revision: 3, subject: last!.id }])
  })

  test('a mistake in the amount of a posting, and in a balance', async () => {
    const { batchId } = await everything()
    await books.plant(
      `UPDATE posting SET body = ${plus({ amount: -1, balance: -1 })} WHERE body ->> '$.postingId' = '${batchId}'`,
    )
    expect(await wrong('postings')).toEqual([
      {
        revision: 1,
        position: expect.any(Number),
        subject: batchId,
        reason:
          'the read model has an amount of -0.120000001 USD, a balance of 9.879999999 USD after it; by the events it is -0.12 USD and leaves 9.88',
      },
    ])
  })

  test('a mistake in what a posting is', async () => {
    const { batchId } = await everything()
    await books.plant(
      `UPDATE posting SET body = json_set(body, '$.postingId', 'other', '$.type', 'refund', '$.at', 0)
       WHERE body ->> '$.postingId' = '${batchId}' AND body ->> '$.type' = 'charge'`,
    )
    expect(await wrong('postings')).toMatchObject([
      {
        revision: 1,
        subject: batchId,
        reason:
          'the read model has the id other, the kind refund, the time 1970-01-01T00:00:00.000Z; by the events it is -0.12 USD and leaves 9.88',
      },
    ])
  })

  test('a posting that the read model does not have, and one that no event records', async () => {
    const { batchId } = await everything()
    await books.plant(
      `UPDATE posting SET position = position + 1, body = json_set(body, '$.position', position + 1) WHERE body ->> '$.postingId' = '${batchId}'`,
    )
    expect(await wrong('postings')).toMatchObject([
      { revision: 1, subject: batchId, reason: 'the read model does not have it' },
      {
        revision: null,
        subject: batchId,
        reason: 'the read model has a charge of -0.12 USD that no event records',
      },
    ])
  })

  test.each([-1, 1])('a last posting that the read model made up, %i position on', async (on) => {
    await books.credit('1')
    await books.plant(
      `INSERT INTO posting (id, body, accountId, position, at)
       SELECT 'made up', json_set(body, '$.position', position + ${on}, '$.postingId', 'made up', '$.amount', '7'),
         accountId, position + ${on}, at FROM posting`,
    )
    const chargeId = newId()
    if (on > 0) {
      await books.charge(chargeId, SEARCH, { operation: 'search' })
      await books.settle(chargeId)
    }
    expect(await wrong('postings')).toMatchObject([{ subject: 'made up', position: 7 + on }])
  })

  test('a price key whose costs are not what the events add up to', async () => {
    await everything()
    await books.plant(
      `UPDATE cost SET body = ${plus({ 'amounts.VECTOR_PROCESSING': 5 })} WHERE body ->> '$.amounts.VECTOR_PROCESSING' IS NOT NULL`,
    )
    expect(await wrong('costs')).toEqual([
      {
        revision: null,
        position: null,
        subject: 'VECTOR_PROCESSING',
        reason: 'the read model adds it up to 0.020000005 USD, the events to 0.02',
      },
    ])
  })
})

describe('what cannot be compared is said', () => {
  test('while the read model is behind', async () => {
    await everything()
    const { report } = await replayed({}, { projections: { reached: async () => false } as never })
    expect(report.holds).toBe(false)
    expect(broken(report)).toEqual([
      { name: 'postings', holds: null, trouble: expect.stringContaining('has not caught up'), faults: [] },
      { name: 'costs', holds: null, trouble: expect.stringContaining('has not caught up'), faults: [] },
    ])
  })

  test('but a fault of the comparison is one', async () => {
    await everything()
    const usage = { postings: () => Promise.reject(new TypeError('no such thing')) } as never
    await expect(replayed({}, { usage })).rejects.toThrow('no such thing')
  })

  test('while it is unavailable: the postings are reported anyway', async () => {
    await everything()
    const usage = {
      async postings() {
        throw new EngineUnavailable('usage', 'The read model is being rebuilt.')
      },
    } as never
    const { entries, report } = await replayed({}, { usage })
    expect(entries).toHaveLength(6)
    expect(broken(report)).toMatchObject([
      { name: 'postings', holds: null, trouble: 'The read model is being rebuilt.' },
      { name: 'costs', holds: null },
    ])
  })
})
