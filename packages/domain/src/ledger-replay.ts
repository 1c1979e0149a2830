import { formatUsd, sum, type Money } from '@medialog/kernel'
import {
  ledgerMonth,
  type Cause,
  type ChargeLine,
  type LedgerEvent,
  type OpenCharge,
  type Totals,
} from './ledger.ts'

/** One movement of money, as its event has it. */
export interface Posting {
  kind: 'credit' | 'charge' | 'refund'
  /** Credit, charge or refund id. */
  id: string
  /** Of a refund: what it pays back of. */
  chargeId: string | null
  /** Milliseconds since the epoch; never before the posting before it. */
  at: number
  /** Signed: what it did to the balance. */
  amount: Money
  /** Right after it. */
  balance: Money
  /** By price key, positive for charge and refund alike. */
  lines: readonly ChargeLine[]
  /** Of a refund its charge's; null of a credit. */
  cause: Cause | null
  /** Of a credit as it was given; of a refund the reason. */
  reference: string | null
}

/** A charge and what is left of it after refunds. */
export interface ReplayedCharge {
  chargeId: string
  cause: Cause
  at: number
  amount: Money
  /** By price key; what came to nothing is left out. */
  rest: ReadonlyMap<string, Money>
}

/** What a `BooksClosed` says it carries over into the month that it opens. */
export interface CarriedOver {
  into: string
  balance: Money
  totals: Totals
}

/** The rules that the events of a ledger keep. */
export type LedgerRule = 'sums' | 'refunds' | 'books'

export interface LedgerFault {
  rule: LedgerRule
  /** For people: the rest of a sentence about the event. */
  reason: string
}

export interface Replayed {
  posting: Posting | null
  /** The charge that the event ended: settled, or wholly refunded. */
  ended: ReplayedCharge | null
  carriedOver: CarriedOver | null
  faults: readonly LedgerFault[]
}

interface Open extends ReplayedCharge {
  rest: Map<string, Money>
  refundIds: Set<string>
}

const NOTHING: Replayed = { posting: null, ended: null, carriedOver: null, faults: [] }

/**
 * A ledger added up again from its first event, without trust in the decider that made them or in the read models.
 * It holds the open charges alone, so its memory does not grow with the history.
 */
export class LedgerReplay {
  balance: Money = 0n
  readonly totals: Totals = { credited: 0n, charged: 0n, refunded: 0n }
  /** Of the last posting; 0 before the first. */
  at = 0
  readonly #open = new Map<string, Open>()
  #month: string | null = null
  #monthEnds = -Infinity

  /** A copy that shares nothing with this one. */
  clone(): LedgerReplay {
    const copy = new LedgerReplay()
    copy.balance = this.balance
    Object.assign(copy.totals, this.totals)
    copy.at = this.at
    for (const [id, charge] of this.#open)
      copy.#open.set(id, { ...charge, rest: new Map(charge.rest), refundIds: new Set(charge.refundIds) })
    copy.#month = this.#month
    copy.#monthEnds = this.#monthEnds
    return copy
  }

  /** Charges neither settled nor wholly refunded, in the order in which they were made. */
  get openCharges(): Iterable<ReplayedCharge> {
    return this.#open.values()
  }

  /**
   * The event after those that were applied. `corrected`: when it counts, where the time that it says was wrong. The months
   * of the books go by what events say.
   */
  apply(event: LedgerEvent, corrected: number | null = null): Replayed {
    if (event.type === 'BooksClosed') return this.#carryOver(event)
    const unclosed = this.#monthOf(event.at)
    const replayed = this.#post(corrected === null ? event : { ...event, at: corrected })
    return unclosed ? { ...replayed, faults: [unclosed, ...replayed.faults] } : replayed
  }

  #post(event: Exclude<LedgerEvent, { type: 'BooksClosed' }>): Replayed {
    switch (event.type) {
      case 'BalanceCredited':
        return this.#credit(event)
      case 'BalanceCharged':
        return this.#charge(event)
      case 'BalanceRefunded':
        return this.#refund(event)
      case 'LedgerClosed':
        return event.balance === this.balance
          ? NOTHING
          : failed(
              'sums',
              `it closes with ${formatUsd(event.balance)} USD, the events add up to ${formatUsd(this.balance)}`,
            )
      case 'ChargeSettled': {
        const ended = this.#end(event.chargeId)
        return ended ? { ...NOTHING, ended } : failed('refunds', 'it settles a charge that is not open')
      }
    }
  }

  #credit({ creditId: id, amount, reference, at }: EventOf<'BalanceCredited'>): Replayed {
    this.totals.credited += amount
    const posting = { kind: 'credit', id, chargeId: null, lines: [], cause: null, reference } as const
    return this.#posted(posting, at, amount, amount <= 0n ? [of('sums', 'it credits nothing')] : [])
  }

  #charge({ chargeId, amount, lines, cause, at }: EventOf<'BalanceCharged'>): Replayed {
    const faults = sumFaults(amount, lines)
    if (this.#open.has(chargeId)) faults.push(of('refunds', 'a charge with its id is open already'))
    this.totals.charged += amount
    const replayed = this.#posted(
      { kind: 'charge', id: chargeId, chargeId: null, lines, cause, reference: null },
      at,
      -amount,
      faults,
    )
    const rest = new Map(lines.filter((line) => line.amount > 0n).map((line) => [line.price, line.amount]))
    this.#open.set(chargeId, { chargeId, cause, at: this.at, amount, rest, refundIds: new Set() })
    return replayed
  }

  #refund({ refundId, chargeId, amount, lines, reason, at }: EventOf<'BalanceRefunded'>): Replayed {
    const faults = sumFaults(amount, lines)
    const charge = this.#open.get(chargeId)
    if (!charge) faults.push(of('refunds', `its charge ${chargeId} is not open`))
    else faults.push(...take(charge, refundId, lines))
    this.totals.refunded += amount
    const cause = charge?.cause ?? null
    const replayed = this.#posted(
      { kind: 'refund', id: refundId, chargeId, lines, cause, reference: reason },
      at,
      amount,
      faults,
    )
    return charge?.rest.size === 0 ? { ...replayed, ended: this.#end(chargeId) } : replayed
  }

  #posted(
    posting: Omit<Posting, 'at' | 'amount' | 'balance'>,
    at: number,
    amount: Money,
    faults: LedgerFault[],
  ): Replayed {
    this.balance += amount
    this.at = Math.max(this.at, at)
    if (this.balance < 0n && amount < 0n)
      faults.push(of('sums', `it takes the balance to ${formatUsd(this.balance)} USD`))
    const { balance } = this
    return { ...NOTHING, posting: { ...posting, at: this.at, amount, balance }, faults }
  }

  #end(chargeId: string): ReplayedCharge | null {
    const charge = this.#open.get(chargeId)
    this.#open.delete(chargeId)
    return charge ?? null
  }

  /** Months pass only where their books were closed. */
  #monthOf(at: number): LedgerFault | null {
    if (at < this.#monthEnds) return null
    const before = this.#month
    const month = ledgerMonth(at)
    this.#begin(month)
    return before === null
      ? null
      : of('books', `it is of ${month}, and the books of ${before} were not closed`)
  }

  #begin(month: string): void {
    this.#month = month
    const [year, number] = month.split('-').map(Number) as [number, number]
    this.#monthEnds = Date.UTC(year, number)
  }

  #carryOver({ month: into, balance, totals, openCharges }: EventOf<'BooksClosed'>): Replayed {
    const faults: LedgerFault[] = []
    const compare = (what: string, said: string, found: string): void => {
      if (said !== found)
        faults.push(of('books', `it carries over ${what} ${said}, the events add up to ${found}`))
    }
    if (this.#month !== null && into <= this.#month)
      faults.push(of('books', `it opens ${into} after ${this.#month}`))
    this.#begin(into)
    compare('a balance of', formatUsd(balance), formatUsd(this.balance))
    for (const name of ['credited', 'charged', 'refunded'] as const)
      compare(`${name} in all of`, formatUsd(totals[name]), formatUsd(this.totals[name]))
    const silent = new Set(
      openCharges.filter(({ refundIds }) => refundIds === undefined).map(({ chargeId }) => chargeId),
    )
    const found = [...this.#open.values()].map((charge) => asCarried(charge, !silent.has(charge.chargeId)))
    compare('the open charges', listed(openCharges), listed(found))
    return { ...NOTHING, carriedOver: { into, balance, totals }, faults }
  }
}

type EventOf<Type extends LedgerEvent['type']> = Extract<LedgerEvent, { type: Type }>

const of = (rule: LedgerRule, reason: string): LedgerFault => ({ rule, reason })
const failed = (rule: LedgerRule, reason: string): Replayed => ({ ...NOTHING, faults: [of(rule, reason)] })

function sumFaults(amount: Money, lines: readonly ChargeLine[]): LedgerFault[] {
  const inAll = sum(lines.map((line) => line.amount))
  const faults: LedgerFault[] = []
  if (inAll !== amount)
    faults.push(of('sums', `its lines add up to ${formatUsd(inAll)}, not to ${formatUsd(amount)} USD`))
  if (lines.some((line) => line.amount < 0n)) faults.push(of('sums', 'it has a negative line'))
  return faults
}

function take(charge: Open, refundId: string, lines: readonly ChargeLine[]): LedgerFault[] {
  const faults: LedgerFault[] = []
  if (charge.refundIds.has(refundId))
    faults.push(of('refunds', 'its charge was refunded under its id before'))
  charge.refundIds.add(refundId)
  for (const { price, amount } of lines) {
    const left = charge.rest.get(price) ?? 0n
    if (amount > left)
      faults.push(
        of(
          'refunds',
          `it pays ${formatUsd(amount)} USD of ${price} back, of which ${formatUsd(left)} is left`,
        ),
      )
    if (amount < left) charge.rest.set(price, left - amount)
    else charge.rest.delete(price)
  }
  return faults
}

const asCarried = ({ chargeId, amount, rest, refundIds }: Open, saysRefunds: boolean): OpenCharge => ({
  chargeId,
  amount,
  rest: [...rest].map(([price, left]) => ({ price, amount: left })),
  ...(saysRefunds && { refundIds: [...refundIds] }),
})

/** Charges in few words, the same for the same in any order. */
const listed = (charges: readonly OpenCharge[]): string =>
  charges
    .map(
      ({ chargeId, amount, rest, refundIds = [] }) =>
        `${chargeId} of ${formatUsd(amount)} (${rest.map(({ price, amount: left }) => `${price} ${formatUsd(left)}`).join(', ')})${refundIds.map((id) => `, refunded by ${id}`).join('')}`,
    )
    .sort()
    .join('; ') || 'none'
