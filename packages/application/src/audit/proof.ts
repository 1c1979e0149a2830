import type { LogPosition, Revision } from '@medialog/kernel'

/** What a replay of a ledger shows, line by line. */
const STATEMENTS = {
  sequence: 'Every event of the ledger is there, each chained to the one before it.',
  sums: 'Each amount is the sum of its lines, and no charge takes the balance below zero.',
  refunds: 'Each refund has its charge, and pays back no more than is left of it.',
  books: 'Each month carries over exactly what was there.',
  batches: 'Each batch that has ended cost its price times the files that succeeded.',
  postings: 'The read model has the same postings with the same balances.',
  costs: 'The read model has the same costs by price key.',
} as const

export type ProofName = keyof typeof STATEMENTS

/** Where something is not as it has to be. */
export interface ProofFault {
  /** In the ledger's own stream; null where no event of it is meant. */
  revision: Revision | null
  position: LogPosition | null
  /** Posting, batch, month or price key. */
  subject: string
  /** For people. */
  reason: string
}

export interface ProofLine {
  name: ProofName
  statement: string
  /** Null: it could not be looked at, for `trouble`. */
  holds: boolean | null
  trouble: string | null
  /** How many events, postings, refunds, months, batches or price keys were looked at. */
  checked: number
  faultCount: number
  /** The first of them. */
  faults: ProofFault[]
}

const MOST_SHOWN = 20

/** The lines of a proof while they are made. */
export class Proof {
  readonly #lines = new Map<ProofName, ProofLine>(
    Object.entries(STATEMENTS).map(([name, statement]) => [
      name as ProofName,
      {
        name: name as ProofName,
        statement,
        holds: true,
        trouble: null,
        checked: 0,
        faultCount: 0,
        faults: [],
      },
    ]),
  )

  checked(name: ProofName, count = 1): void {
    this.#lines.get(name)!.checked += count
  }

  fault(name: ProofName, fault: ProofFault): void {
    const line = this.#lines.get(name)!
    line.holds = false
    line.faultCount++
    if (line.faults.length < MOST_SHOWN) line.faults.push(fault)
  }

  /** What was found before stays found. */
  trouble(name: ProofName, reason: string): void {
    const line = this.#lines.get(name)!
    line.trouble = reason
    line.holds &&= null
  }

  lines(): ProofLine[] {
    return [...this.#lines.values()]
  }
}
