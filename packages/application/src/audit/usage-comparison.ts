import type { Posting } from '@medialog/domain'
import { formatUsd, type LogPosition, type Money, type RecordedEvent, type Uuid } from '@medialog/kernel'
import type { PostingRow, Usage } from '../ports/index.ts'
import type { Proof } from './proof.ts'

const PAGE = 512

/** An event of the ledger; what is no posting is passed over. */
interface Compared {
  posting: Posting | null
  recorded: Pick<RecordedEvent, 'revision' | 'position'>
}

/** Holds the read model of usage against the postings of a replay, as they come. */
export class UsageComparison {
  readonly #usage: Usage
  readonly #accountId: Uuid
  readonly #proof: Proof
  #rows: PostingRow[] = []
  #next = 0
  #ended = false

  constructor(usage: Usage, accountId: Uuid, proof: Proof) {
    this.#usage = usage
    this.#accountId = accountId
    this.#proof = proof
  }

  /** The next events, in order. */
  async compare(events: readonly Compared[]): Promise<void> {
    for (const { posting, recorded } of events) {
      if (!posting) continue
      this.#proof.checked('postings')
      await this.#skipBefore(recorded.position)
      const row = await this.#row()
      const found = row?.position === recorded.position ? row : null
      if (found) this.#next++
      const problem = found ? differences(posting, found) : 'the read model does not have it'
      if (problem === null) continue
      const { revision, position } = recorded
      this.#proof.fault('postings', { revision, position, subject: posting.id, reason: problem })
    }
  }

  /** After the last posting: nothing more may be there up to `position`. */
  async end(position: LogPosition): Promise<void> {
    await this.#skipBefore(position + 1)
  }

  /** Costs net of refunds before `until`, by price key: those of the read model are to be the same. */
  async compareCosts(costs: ReadonlyMap<string, Money>, until: number): Promise<void> {
    const shown = await this.#usage.costs(this.#accountId, { from: 0, to: until })
    for (const price of new Set([...costs.keys(), ...shown.keys()])) {
      this.#proof.checked('costs')
      const [made, read] = [costs.get(price) ?? 0n, shown.get(price) ?? 0n]
      if (made !== read)
        this.#proof.fault('costs', {
          revision: null,
          position: null,
          subject: price,
          reason: `the read model adds it up to ${formatUsd(read)} USD, the events to ${formatUsd(made)}`,
        })
    }
  }

  /** Skips what the events do not record. */
  async #skipBefore(position: LogPosition): Promise<void> {
    for (let row = await this.#row(); row && row.position < position; row = await this.#row()) {
      this.#next++
      this.#proof.fault('postings', {
        revision: null,
        position: row.position,
        subject: row.id,
        reason: `the read model has a ${row.type} of ${formatUsd(row.amount)} USD that no event records`,
      })
    }
  }

  async #row(): Promise<PostingRow | null> {
    if (this.#next === this.#rows.length && !this.#ended) {
      const after = this.#rows.at(-1) ?? null
      this.#rows = await this.#usage.postings(this.#accountId, { after, limit: PAGE })
      this.#next = 0
      this.#ended = this.#rows.length === 0
    }
    return this.#rows[this.#next] ?? null
  }
}

function differences(entry: Posting, row: PostingRow): string | null {
  const different = [
    entry.id !== row.id && `the id ${row.id}`,
    entry.kind !== row.type && `the kind ${row.type}`,
    entry.at !== row.at && `the time ${new Date(row.at).toISOString()}`,
    entry.amount !== row.amount && `an amount of ${formatUsd(row.amount)} USD`,
    entry.balance !== row.balance && `a balance of ${formatUsd(row.balance)} USD after it`,
  ].filter((part) => part !== false)
  if (different.length === 0) return null
  return `the read model has ${different.join(', ')}; by the events it is ${formatUsd(entry.amount)} USD and leaves ${formatUsd(entry.balance)}`
}
