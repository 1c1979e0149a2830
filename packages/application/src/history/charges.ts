import { refundedJob, type BatchIntent, type DomainEvent } from '@medialog/domain'
import { sum, UUID_PATTERN, type Uuid } from '@medialog/kernel'
import { submittedBatch } from '../batches/submitted-batch.ts'
import type { Ports } from '../core/ports.ts'
import { fileNamesOf } from '../library/file-names.ts'
import type { EntryPosting, HistoryEntry } from './entry.ts'
import { readEvents } from './read-events.ts'

type EventOf<Type extends DomainEvent['type']> = Extract<DomainEvent, { type: Type }>

/** A charge is among the first events of its request. */
const FIRST = { offset: 0, limit: 5 }

/** Charges and batches by their ids, each looked up once: what events are about that name these alone. */
export class Charges {
  readonly #ports: Pick<Ports, 'history' | 'eventStore'>
  readonly #accountId: Uuid
  readonly #charges = new Map<string, Promise<EventOf<'BalanceCharged'> | null>>()
  readonly #intents = new Map<Uuid, Promise<BatchIntent | null>>()
  readonly #names = new Map<Uuid, ReturnType<typeof fileNamesOf>>()

  constructor(ports: Pick<Ports, 'history' | 'eventStore'>, accountId: Uuid) {
    this.#ports = ports
    this.#accountId = accountId
  }

  /** The entry with what was paid for, and by which batch, job and items. */
  async explain(event: DomainEvent, entry: HistoryEntry): Promise<HistoryEntry> {
    switch (event.type) {
      case 'JobFailed':
        return { ...entry, mediaIds: await this.#itemsOf(entry.batchId!, event.jobId) }
      case 'RequestCompleted': {
        const charge = await this.#charge(event.requestId)
        return { ...entry, ...(charge && { operation: charge.cause.operation }) }
      }
      case 'ChargeSettled':
      case 'BalanceRefunded': {
        const charge = await this.#charge(event.chargeId)
        if (!charge) return entry
        const { operation, batchId, jobId, mediaId } = charge.cause
        const explained = { ...entry, requestId: event.chargeId, operation }
        if (!batchId)
          return { ...explained, ...(jobId && { jobId }), ...(mediaId && { mediaIds: [mediaId] }) }
        const ofJob = event.type === 'BalanceRefunded' ? refundedJob(event.refundId, event.chargeId) : null
        if (!ofJob) return { ...explained, batchId }
        return { ...explained, batchId, jobId: ofJob, mediaIds: await this.#itemsOf(batchId, ofJob) }
      }
      default:
        return entry
    }
  }

  /**
   * What of a posting is for the item: a batch's charge, and a refund of all of it, is for all the files that it was made
   * for, each of which costs the same.
   */
  async share(
    event: EventOf<'BalanceCharged' | 'BalanceRefunded'>,
    { posting, batchId }: Pick<HistoryEntry, 'posting' | 'batchId'>,
    mediaId: Uuid,
  ): Promise<EntryPosting> {
    const isOfAll = event.type === 'BalanceCharged' || refundedJob(event.refundId, event.chargeId) === null
    const intent = batchId && isOfAll ? await this.#intent(batchId) : null
    if (!intent) return posting!
    const charged = intent.jobs.filter(({ duplicate }) => !duplicate)
    const own = charged.filter((job) => job.mediaId === mediaId)
    const lines = event.lines.map(({ price, amount }) => ({
      price,
      amount: (amount * BigInt(own.length)) / BigInt(charged.length),
    }))
    const amount = sum(lines.map((line) => line.amount))
    return { ...posting!, lines, amount: event.type === 'BalanceCharged' ? -amount : amount }
  }

  /** What the job's file was called; undefined where that went with its item. */
  async filename(batchId: Uuid, jobId: Uuid): Promise<string | undefined> {
    const names = this.#names.get(batchId) ?? fileNamesOf(this.#ports.eventStore, batchId)
    this.#names.set(batchId, names)
    return (await names).get(jobId)
  }

  #charge(chargeId: string): Promise<EventOf<'BalanceCharged'> | null> {
    const charge = this.#charges.get(chargeId) ?? this.#find(chargeId)
    this.#charges.set(chargeId, charge)
    return charge
  }

  async #find(chargeId: string): Promise<EventOf<'BalanceCharged'> | null> {
    if (!UUID_PATTERN.test(chargeId)) return null
    const { history, eventStore } = this.#ports
    // A charge has the id of its request.
    const { positions } = await history.ofRequest(this.#accountId, chargeId, FIRST)
    for (const { event } of await readEvents(eventStore, positions))
      if (event.type === 'BalanceCharged' && event.chargeId === chargeId) return event
    return null
  }

  #intent(batchId: Uuid): Promise<BatchIntent | null> {
    const { eventStore } = this.#ports
    const intent =
      this.#intents.get(batchId) ??
      submittedBatch(eventStore, batchId).then((submitted) => submitted?.intent ?? null)
    this.#intents.set(batchId, intent)
    return intent
  }

  async #itemsOf(batchId: Uuid, jobId: Uuid): Promise<Uuid[]> {
    const job = (await this.#intent(batchId))?.jobs.find((job) => job.jobId === jobId)
    return job ? [job.mediaId] : []
  }
}
