import { encodeEvent } from '@medialog/contract'
import { ledger, type Ledger, type LedgerCommand, type LedgerEvent } from '@medialog/domain'
import { isoTime, type RecordedEvent } from '@medialog/kernel'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { newId } from '../core/ids.ts'
import type { Auditing, LedgerEntry, LedgerReport } from './ledger.ts'
import { LedgerRun, UNDER_WAY_MS } from './ledger-run.ts'
import { replayLedger } from './replay-ledger.ts'
import { reportOf } from './statement.ts'
import { openBooks } from './testing/bookkeeping.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const START = Date.parse('2026-10-30T12:00:00Z')

interface Step {
  /** Milliseconds since the step before it. */
  gap: number
  /** By how many milliseconds the clock of the process is ahead. */
  ahead: number
  type: string
  /** Which charge is ended: counted from the last one. */
  ended: number
}

const step: fc.Arbitrary<Step> = fc.record({
  gap: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 40 * MINUTE }) },
    { weight: 2, arbitrary: fc.integer({ min: HOUR, max: 3 * DAY }) },
    { weight: 1, arbitrary: fc.integer({ min: 20 * DAY, max: 70 * DAY }) },
  ),
  ahead: fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: -20 * MINUTE, max: 20 * MINUTE }) },
    { weight: 2, arbitrary: fc.integer({ min: DAY, max: 90 * DAY }) },
  ),
  type: fc.constantFrom('Credit', 'Charge', 'Charge', 'Charge', 'Settle', 'Settle', 'RefundRest'),
  ended: fc.nat(3),
})

/** Something to spend comes first, or most of what follows is refused. */
const histories = fc
  .array(step, { minLength: 3, maxLength: 24 })
  .map(([first, ...rest]) => [{ ...first!, type: 'Credit' }, ...rest])

/** Moments of 200 days, in hours after the start. */
const hoursOn = fc.array(fc.nat(200 * 24), { minLength: 1, maxLength: 3 })

/** The log as it is after each append that the steps make, with the true time of that append. */
function logsOf(steps: readonly Step[]): { log: RecordedEvent[]; time: number }[] {
  const logs: { log: RecordedEvent[]; time: number }[] = []
  const charges: string[] = []
  let log: RecordedEvent[] = []
  let state = ledger.initialState()
  let time = START
  for (const one of steps) {
    time += one.gap
    if (one.type === 'Charge') charges.push(newId())
    const events = attempt(commandOf(one, charges, time), state)
    if (events.length === 0) continue
    log = [...log, ...events.map((event, index) => recordedAs(event, log.length + index, time))]
    logs.push({ log, time })
    for (const event of events) state = ledger.evolve(state, event)
  }
  return logs
}

function commandOf({ type, ahead, ended }: Step, charges: readonly string[], time: number): LedgerCommand {
  const at = time + ahead
  const chargeId = charges.at(type === 'Charge' ? -1 : -1 - ended) ?? 'none'
  switch (type) {
    case 'Charge':
      return { type, chargeId, lines: [{ price: 'RAG_QUERY', amount: 2n }], cause: { operation: 'ask' }, at }
    case 'Settle':
      return { type, chargeId, at }
    case 'RefundRest':
      return { type, chargeId, refundId: `refund of ${chargeId}`, reason: 'failed', at }
    default:
      return { type: 'Credit', creditId: newId(), amount: 1_000n, reference: null, at }
  }
}

function attempt(command: LedgerCommand, state: Ledger): readonly LedgerEvent[] {
  try {
    return ledger.decide(command, state)
  } catch {
    return []
  }
}

const recordedAs = (event: LedgerEvent, revision: number, time: number): RecordedEvent => ({
  id: newId(),
  ...encodeEvent(event),
  metadata: { timestamp: isoTime(time), actor: 'system' },
  stream: 'ledger-a',
  revision,
  position: revision + 1,
  prev: `hash ${revision - 1}`,
  hash: `hash ${revision}`,
})

/** The history before that time, by the events that there are. */
async function replay(
  log: readonly RecordedEvent[],
  until: number,
): Promise<{ entries: LedgerEntry[]; report: LedgerReport }> {
  const run = new LedgerRun({ eventStore: null! } as Partial<Auditing> as Auditing, 'a', { from: 0, until })
  for (const recorded of log) if (!run.take(recorded)) break
  run.end()
  return { entries: await run.flush(), report: await run.report() }
}

test('a history holds at every moment and, once it is final, stays as it is, whatever some clocks say', async () => {
  await fc.assert(
    fc.asyncProperty(histories, hoursOn, async (steps, hours) => {
      const logs = logsOf(steps)
      const moments = [
        ...hours.map((hour) => START + hour * HOUR),
        ...['2026-11-01', '2026-12-01', '2027-01-01'].map((month) => Date.parse(month)),
        // Just behind what some process took for the time.
        ...logs
          .at(-1)!
          .log.slice(-4)
          .map((recorded) => Number(recorded.data['at'] ?? START) + 1),
      ]
      for (const until of moments) {
        let final: Awaited<ReturnType<typeof replay>> | null = null
        for (const [index, { log }] of logs.entries()) {
          const replayed = await replay(log, until)
          const { report } = replayed
          expect(report.proof.flatMap(({ faults }) => faults)).toEqual([])
          if (final) {
            expect(replayed.entries).toEqual(final.entries)
            expect({ ...report, isOver: true }).toEqual({ ...final.report, isOver: true })
          }
          // Made just before the next append.
          const madeAt = (logs[index + 1]?.time ?? Infinity) - 1
          if (until <= madeAt && (report.isOver || madeAt - until >= UNDER_WAY_MS)) final ??= replayed
        }
      }
    }),
    {
      numRuns: 150,
      examples: [
        // A first posting a day and a moment ahead, and one of a clock that is a moment behind, just after the end.
        [
          [
            { gap: 0, ahead: 0, type: 'Credit', ended: 0 },
            { gap: 0, ahead: DAY + 1, type: 'Charge', ended: 0 },
            { gap: 2, ahead: -2, type: 'Charge', ended: 0 },
          ],
          [0],
        ],
        // Of the next month by a clock that was ahead, corrected, and that month.
        [
          [
            { gap: 0, ahead: 2 * DAY, type: 'Credit', ended: 0 },
            { gap: 0, ahead: 0, type: 'Credit', ended: 0 },
            { gap: 20 * DAY, ahead: 0, type: 'Credit', ended: 0 },
          ],
          [0],
        ],
      ],
    },
  )
})

test('the read model has the same postings and costs at every moment, whatever some clocks say', async () => {
  const books = await openBooks()
  onTestFinished(() => books.close())
  await fc.assert(
    fc.asyncProperty(
      histories,
      hoursOn,
      fc.array(fc.boolean(), { minLength: 24, maxLength: 24 }),
      async (steps, hours, looks) => {
        const accountId = newId()
        const stream = `ledger-${accountId}` as const
        let revision: number | 'no-stream' = 'no-stream'
        for (const [index, { log }] of logsOf(steps).entries()) {
          const added = log.slice(revision === 'no-stream' ? 0 : revision + 1)
          await books.store.append(stream, revision, added)
          revision = log.length - 1
          // Each look brings the read model up to date: what came since the last one is a batch of its own.
          if (!looks[index]) continue
          for (const until of [...hours.map((hour) => START + hour * HOUR), Infinity]) {
            const { proof } = await reportOf(replayLedger(books.ports, accountId, { from: 0, until }))
            expect(proof.filter(({ holds }) => !holds)).toEqual([])
          }
        }
      },
    ),
    { numRuns: 50 },
  )
})
