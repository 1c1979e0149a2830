import { decodeRecorded } from '@medialog/contract'
import { LedgerReplay, type LedgerEvent } from '@medialog/domain'
import { sum, type Money, type RecordedEvent, type StreamName } from '@medialog/kernel'
import { StoredItems } from './stored-items.ts'

/** What a whole log comes to, in numbers that anybody can compare: made of its events alone. */
export class LogSummary {
  readonly items = new StoredItems()
  readonly #ledgers = new Map<StreamName, LedgerReplay>()
  #events = 0
  #accounts = 0

  /** The event after those that were applied. @throws UnreadableEvent */
  apply(recorded: RecordedEvent): void {
    this.#events++
    if (recorded.type === 'AccountOpened') this.#accounts++
    if (recorded.stream.startsWith('ledger-')) this.#ledger(recorded)
    else this.items.apply(recorded)
  }

  /** Without those that were erased. */
  get events(): number {
    return this.#events
  }

  get accounts(): number {
    return this.#accounts
  }

  /** Of all accounts together. */
  get balance(): Money {
    return sum([...this.#ledgers.values()].map(({ balance }) => balance))
  }

  #ledger(recorded: RecordedEvent): void {
    const known = this.#ledgers.get(recorded.stream)
    const ledger = known ?? new LedgerReplay()
    if (!known) this.#ledgers.set(recorded.stream, ledger)
    ledger.apply(decodeRecorded(recorded) as LedgerEvent)
  }
}
