import { decodeRecorded, isKnownEvent, UnreadableEvent } from '@medialog/contract'
import {
  CLOCK_FAR_MS,
  LedgerReplay,
  nextTime,
  type LedgerEvent,
  type LedgerTime,
  type Posting,
  type Replayed,
} from '@medialog/domain'
import {
  batchId as batchIds,
  counted,
  formatUsd,
  sum,
  type LogPosition,
  type Money,
  type RecordedEvent,
  type Revision,
  type Uuid,
} from '@medialog/kernel'
import { settleReads } from '../core/read-your-writes.ts'
import { EngineUnavailable } from '../ports/index.ts'
import { BatchOutcomes, filePrice } from './batch-outcomes.ts'
import { filesOf } from './files.ts'
import type { Auditing, LedgerEntry, LedgerQuery, LedgerReport } from './ledger.ts'
import { Proof, type ProofName } from './proof.ts'
import { UsageComparison } from './usage-comparison.ts'

/** Streams of items that are asked for names at the same time. */
const ASKED_AT_ONCE = 16
const MOST_OPEN_CHARGES = 100
/** Longer than a posting that has its time is on its way into the log, and than clocks of processes differ. */
export const UNDER_WAY_MS = 3_600_000

/** An event that is a posting, ends a charge, or both. */
interface Step {
  recorded: RecordedEvent
  posting: Posting | null
  ended: Replayed['ended']
  shown: boolean
}

/** An event as it was read: null where nothing can be made of it. */
interface Read {
  recorded: RecordedEvent
  event: LedgerEvent | null
  /** When it counts, where the time that it says was wrong. */
  corrected: number | null
}

/** So many postings lie between two places where a page can begin. */
const START_EVERY = 1_000

/** Where a page of a ledger that was replayed can begin, without what is before it. */
export interface Start {
  /** Of the next event. */
  revision: Revision
  /** How many postings before it could be shown. */
  shown: number
  replay: LedgerReplay
}

/** One replay under way: takes events in order, holds those of a page, and says in the end what they come to. */
export class LedgerRun {
  readonly #ports: Auditing
  readonly #accountId: Uuid
  readonly #query: LedgerQuery
  readonly #replay: LedgerReplay
  readonly #proof = new Proof()
  readonly #batches: BatchOutcomes
  readonly #range: Pick<LedgerReport, 'postings' | 'shown' | 'opening' | 'totals' | 'books'>
  readonly #costs = new Map<string, Money>()
  /** Of the whole history before its last moment, and of that moment, which may still grow. */
  readonly #costsBefore = new Map<string, Money>()
  readonly #costsNow = new Map<string, Money>()
  #comparison: UsageComparison | null = null
  #last: RecordedEvent | null = null
  #isOver = false
  #isClosed = false
  /** What is of the history only where something of it comes after. */
  #held: Read[] = []
  #time: LedgerTime
  /** Events from a leap in time on, until it is certain that they count when they say. */
  #tentative: Read[] = []
  #isSettledLater = false
  #steps: Step[] = []
  /** In order. */
  readonly starts: Start[] = []

  /** `start`: only for a page; what it comes to then is that of no ledger. */
  constructor(ports: Auditing, accountId: Uuid, query: LedgerQuery, start?: Start) {
    this.#ports = ports
    this.#accountId = accountId
    this.#query = query
    this.#batches = new BatchOutcomes(ports.eventStore)
    const totals = { credited: 0n, charged: 0n, refunded: 0n }
    this.#replay = start ? start.replay.clone() : new LedgerReplay()
    this.#time = { at: this.#replay.at, leap: null }
    this.#range = { postings: 0, shown: start?.shown ?? 0, opening: 0n, totals, books: [] }
  }

  /** How many postings could have been shown. */
  get shown(): number {
    return this.#range.shown
  }

  get waiting(): number {
    return this.#steps.length
  }

  /** From here on the read model is compared, once it shows `position`. */
  async compareWith(position: LogPosition): Promise<void> {
    if (await settleReads(this.#ports, position, ['usage']))
      this.#comparison = new UsageComparison(this.#ports.usage, this.#accountId, this.#proof)
    else this.#notCompared('The read model has not caught up with the log.')
  }

  /** The next event; false when the history that was asked for ends before it, or before one that was taken. */
  take(recorded: RecordedEvent): boolean {
    const event = this.#read(recorded)
    const read = { recorded, event, corrected: null }
    if (event !== null && isPosting(event)) {
      const { time, corrected } = nextTime(this.#time, event.at)
      const isCertain = time.leap === null || time.leap.postings === 1
      if (isCertain && !this.#takeTentative(corrected)) return false
      this.#time = time
    }
    if (this.#time.leap === null) return this.#takeAt(read, true)
    this.#tentative.push(read)
    return true
  }

  /** Takes the events whose times were not certain yet; `corrected`: when they count, where their times were wrong. */
  #takeTentative(corrected: number | null, isCertain = true): boolean {
    const taken = this.#tentative
    this.#tentative = []
    return taken.every((read) => this.#takeAt({ ...read, corrected }, isCertain))
  }

  #takeAt(read: Read, isCertain: boolean): boolean {
    const { event, corrected } = read
    const at = event && 'at' in event ? (corrected ?? event.at) : null
    const isLate = at !== null && Math.max(at, this.#replay.at) >= this.#query.until
    // A settlement is no posting: after it there may be one of a clock that runs behind.
    if (isLate && event?.type !== 'ChargeSettled') {
      // What is on its way into the log is not so much earlier that it could correct this one.
      this.#isOver = isCertain || at <= this.#query.until + CLOCK_FAR_MS - UNDER_WAY_MS
      this.#held = []
      return false
    }
    // Books have no time of their own: they are opened with the posting after them, by the charges that are open then.
    if (isLate || event === null || event.type === 'BooksClosed') {
      this.#held.push(read)
      this.#isSettledLater ||= isLate
      return true
    }
    this.#takeHeld()
    if (event.type === 'LedgerClosed') this.#isOver = this.#isClosed = true
    this.#apply(read)
    return true
  }

  /** After the last event that there is. */
  end(): void {
    if (this.#takeTentative(null, false) && !this.#isSettledLater) this.#takeHeld()
  }

  #takeHeld(): void {
    for (const read of this.#held) this.#apply(read)
    this.#held = []
    this.#isSettledLater = false
  }

  #apply({ recorded, event, corrected }: Read): void {
    this.#chained(recorded)
    if (event === null) return
    const timeBefore = this.#replay.at
    const replayed = this.#replay.apply(event, corrected)
    this.#rules(recorded, event, replayed)
    const { posting, ended, carriedOver } = replayed
    if (carriedOver)
      this.#range.books.push({ ...carriedOver, revision: recorded.revision, position: recorded.position })
    const before = this.#range.shown
    const shown = posting !== null && this.#count(posting, timeBefore)
    if (this.#query.window && this.#range.shown > before && this.#range.shown % START_EVERY === 0)
      this.starts.push({
        revision: recorded.revision + 1,
        shown: this.#range.shown,
        replay: this.#replay.clone(),
      })
    if (posting || ended) this.#steps.push({ recorded, posting, ended, shown })
  }

  /** Null for one of a type that this release does not know, and for one that no release wrote so. */
  #read(recorded: RecordedEvent): LedgerEvent | null {
    if (!isKnownEvent(recorded)) return null
    try {
      return decodeRecorded(recorded) as LedgerEvent
    } catch (error) {
      if (!(error instanceof UnreadableEvent)) throw error
      this.#fault('sequence', recorded, `it is no ${recorded.type} that any release wrote`)
      return null
    }
  }

  /** Looks at what is around the events that were taken, and answers those that are shown. */
  async flush(): Promise<LedgerEntry[]> {
    const steps = this.#steps
    this.#steps = []
    await this.#compared((comparison) => comparison.compare(steps))
    for (const step of steps) await this.#checkBatch(step)
    const entries: LedgerEntry[] = []
    const shown = steps.filter((step) => step.shown)
    for (let start = 0; start < shown.length; start += ASKED_AT_ONCE)
      entries.push(
        ...(await Promise.all(shown.slice(start, start + ASKED_AT_ONCE).map((step) => this.#entry(step)))),
      )
    return entries
  }

  async report(): Promise<LedgerReport> {
    await this.#compared(async (comparison) => {
      await comparison.end(this.#last?.position ?? 0)
      await comparison.compareCosts(this.#costsBefore, this.#replay.at)
    })
    const proof = this.#proof.lines()
    const open = [...this.#replay.openCharges]
    return {
      ...this.#range,
      accountId: this.#accountId,
      revision: this.#last?.revision ?? null,
      hash: this.#last?.hash ?? null,
      isOver: this.#isOver,
      isClosed: this.#isClosed,
      closing: this.#replay.balance,
      costs: this.#costs,
      openCharges: {
        count: open.length,
        rest: sum(open.flatMap(({ rest }) => [...rest.values()])),
        first: open.slice(0, MOST_OPEN_CHARGES),
      },
      proof,
      holds: proof.every(({ holds }) => holds === true),
    }
  }

  /** Whether it is among those that are to be shown. */
  #count(posting: Posting, timeBefore: number): boolean {
    const { from, window } = this.#query
    const range = this.#range
    range.postings++
    if (posting.at > timeBefore) {
      for (const [price, cost] of this.#costsNow) addCost(this.#costsBefore, price, cost)
      this.#costsNow.clear()
    }
    addCosts(this.#costsNow, posting)
    if (posting.at < from) {
      range.opening = posting.balance
      return false
    }
    addCosts(this.#costs, posting)
    if (posting.kind === 'credit') range.totals.credited += posting.amount
    else if (posting.kind === 'charge') range.totals.charged -= posting.amount
    else range.totals.refunded += posting.amount
    const place = range.shown++
    return !window || (place >= window.offset && place < window.offset + window.limit)
  }

  #chained(recorded: RecordedEvent): void {
    const before = this.#last
    this.#last = recorded
    this.#proof.checked('sequence')
    const expected = before === null ? 0 : before.revision + 1
    if (recorded.revision !== expected)
      this.#fault('sequence', recorded, `it stands where revision ${expected} is expected`)
    else if (before && recorded.prev !== before.hash)
      this.#fault('sequence', recorded, 'it is not chained to the event before it')
  }

  #rules(recorded: RecordedEvent, event: LedgerEvent, { posting, carriedOver, faults }: Replayed): void {
    if (posting) this.#proof.checked('sums')
    if (posting?.kind === 'refund') this.#proof.checked('refunds')
    if (carriedOver) this.#proof.checked('books')
    const subject = posting?.id ?? (event.type === 'BooksClosed' ? event.month : recorded.id)
    for (const { rule, reason } of faults) this.#fault(rule, recorded, reason, subject)
  }

  async #checkBatch({ ended, recorded }: Step): Promise<void> {
    const batchId = ended?.cause.batchId
    if (!ended || !batchId) return
    this.#proof.checked('batches')
    const outcome = await this.#batches.of(batchId)
    const net = sum(ended.rest.values())
    const due = outcome ? filePrice(outcome.intent) * BigInt(outcome.succeeded) : 0n
    if (outcome && net === due) return
    const reason = outcome
      ? `it cost ${formatUsd(net)} USD; ${counted(outcome.succeeded, 'file')} that succeeded at ${formatUsd(filePrice(outcome.intent))}: ${formatUsd(due)}`
      : 'it was charged, and there is no such batch'
    this.#fault('batches', recorded, reason, batchIds.format(batchId))
  }

  async #entry({ posting, recorded }: Step): Promise<LedgerEntry> {
    const { revision, position, id: eventId, hash, metadata } = recorded
    const files = await filesOf(this.#ports.eventStore, this.#batches, posting!, position)
    const correlationId = metadata.correlationId ?? null
    return { ...posting!, ...files, revision, position, eventId, hash, actor: metadata.actor, correlationId }
  }

  /** An unavailable read model is not compared: the events are reported anyway. */
  async #compared(work: (comparison: UsageComparison) => Promise<void>): Promise<void> {
    if (!this.#comparison) return
    try {
      await work(this.#comparison)
    } catch (error) {
      if (!(error instanceof EngineUnavailable)) throw error
      this.#comparison = null
      this.#notCompared(error.message)
    }
  }

  #notCompared(reason: string): void {
    for (const name of ['postings', 'costs'] as const) this.#proof.trouble(name, reason)
  }

  #fault(
    name: ProofName,
    { revision, position, id }: RecordedEvent,
    reason: string,
    subject: string = id,
  ): void {
    this.#proof.fault(name, { revision, position, subject, reason })
  }
}

const isPosting = (event: LedgerEvent) =>
  event.type === 'BalanceCredited' || event.type === 'BalanceCharged' || event.type === 'BalanceRefunded'

/** Charges less refunds. */
function addCosts(costs: Map<string, Money>, { kind, lines }: Posting): void {
  for (const { price, amount } of lines) addCost(costs, price, kind === 'charge' ? amount : -amount)
}

function addCost(costs: Map<string, Money>, price: string, amount: Money): void {
  const now = (costs.get(price) ?? 0n) + amount
  if (now === 0n) costs.delete(price)
  else costs.set(price, now)
}
