import { decodeRecorded, isKnownEvent } from '@medialog/contract'
import type { BatchIntent } from '@medialog/domain'
import { Recent, sum, type Money, type Uuid } from '@medialog/kernel'
import { streamName } from '../event-sourcing/streams.ts'
import { fileNamesOf } from '../library/file-names.ts'
import type { EventStore } from '../ports/index.ts'

/** A batch as its own stream has it. */
export interface BatchOutcome {
  /** Of one whose account was closed no jobs are known. */
  intent: Pick<BatchIntent, 'price' | 'jobs'>
  succeeded: number
}

/** A replay comes back to a batch with each of its refunds. */
const REMEMBERED = 128

export class BatchOutcomes {
  readonly #eventStore: Pick<EventStore, 'read'>
  readonly #names = new Recent<Uuid, ReturnType<typeof fileNamesOf>>(REMEMBERED)
  readonly #known = new Recent<Uuid, Promise<BatchOutcome | null>>(REMEMBERED)

  constructor(eventStore: Pick<EventStore, 'read'>) {
    this.#eventStore = eventStore
  }

  /** What the batch's files were called, by their jobs. */
  names(batchId: Uuid): ReturnType<typeof fileNamesOf> {
    const names = this.#names.get(batchId) ?? fileNamesOf(this.#eventStore, batchId)
    this.#names.set(batchId, names)
    return names
  }

  /** Null where there is no such batch. */
  of(batchId: Uuid): Promise<BatchOutcome | null> {
    const outcome = this.#known.get(batchId) ?? this.#read(batchId)
    this.#known.set(batchId, outcome)
    return outcome
  }

  async #read(batchId: Uuid): Promise<BatchOutcome | null> {
    let outcome: BatchOutcome | null = null
    for await (const recorded of this.#eventStore.read(streamName('batch', batchId))) {
      if (!isKnownEvent(recorded)) continue
      const event = decodeRecorded(recorded)
      if (event.type === 'BatchSubmitted') outcome = { intent: event, succeeded: 0 }
      if (event.type === 'BatchErased')
        outcome = { intent: { price: event.price, jobs: [] }, succeeded: event.succeeded }
      if (event.type === 'JobSucceeded' && outcome) outcome.succeeded++
    }
    return outcome
  }
}

/** What one file of it costs. */
export const filePrice = ({ price }: Pick<BatchIntent, 'price'>): Money =>
  sum(price.map(({ amount }) => amount))
