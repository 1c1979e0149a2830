import { DomainError, formatUsd, toUsdNumber, type Decider, type Money, type Uuid } from '@medialog/kernel'
import { AccountIsClosed } from './account.ts'

/** What an amount was charged for, by the specification's price keys. */
export interface ChargeLine {
  price: string
  amount: Money
}

/** Why money moved: ids of our own making, never anything from a header. */
export interface Cause {
  operation: string
  requestId?: Uuid
  /** The request stream that keeps the answer, where an Idempotency-Key came with it. */
  requestStream?: Uuid
  jobId?: Uuid
  batchId?: Uuid
  mediaId?: Uuid
}

/** A charge that is neither settled nor wholly refunded. */
export interface OpenCharge {
  chargeId: string
  amount: Money
  /** What is left of it after refunds. */
  rest: ChargeLine[]
  /** Of its refunds. Absent where it is not known: books closed by the first release do not say. */
  refundIds?: string[]
}

export interface Totals {
  credited: Money
  charged: Money
  refunded: Money
}

/** Stream `ledger-<account>`. Times are milliseconds since the epoch. */
export type LedgerEvent =
  | { type: 'BalanceCredited'; creditId: string; amount: Money; reference: string | null; at: number }
  | { type: 'BalanceCharged'; chargeId: string; amount: Money; lines: ChargeLine[]; cause: Cause; at: number }
  | { type: 'ChargeSettled'; chargeId: string; at: number }
  | {
      type: 'BalanceRefunded'
      refundId: string
      chargeId: string
      amount: Money
      lines: ChargeLine[]
      reason: string
      at: number
    }
  /**
   * Opens the books of `month`: carries what a fold needs to start here instead of at the beginning. The digest of all
   * that it closes over is its header's `prev`, as the chain has it for every event.
   */
  | { type: 'BooksClosed'; month: string; balance: Money; totals: Totals; openCharges: OpenCharge[] }
  /** The account was closed and nothing is under way: nothing is charged or credited any more. */
  | { type: 'LedgerClosed'; balance: Money; at: number }

export type LedgerCommand = { at: number } & (
  | { type: 'Credit'; creditId: string; amount: Money; reference: string | null }
  | { type: 'Charge'; chargeId: string; lines: ChargeLine[]; cause: Cause }
  | { type: 'Settle'; chargeId: string }
  | { type: 'Refund'; refundId: string; chargeId: string; lines: ChargeLine[]; reason: string }
  /** Refunds what is left of an open charge. */
  | { type: 'RefundRest'; refundId: string; chargeId: string; reason: string }
  /** Once no charge is open; until then nothing happens. */
  | { type: 'CloseLedger' }
)

interface Charge {
  amount: Money
  /** What is left by price while it is open: a refund is attributed to what it was charged for. */
  rest: Map<string, Money>
  open: boolean
  /** Whether all its refunds are among the ledger's: not where books of the first release opened it. */
  refundsAreKnown: boolean
  /** The month it was made in or, once ended, ended in. */
  month: string
}

export interface Ledger {
  balance: Money
  totals: Totals
  /** The month whose books are open (`2026-11`), null before the first event. */
  month: string | null
  /** All open charges, and those ended this month or the last: a retry is known by its id at least that long. */
  charges: Map<string, Charge>
  /** Credits by id: remembered as long as a charge that has ended. */
  credits: Map<string, { amount: Money; month: string }>
  /** Refund id to charge id: remembered as long as the charge. */
  refunds: Map<string, string>
  closed: boolean
}

/** A fold may start at the last `BooksClosed` but one: it then remembers all that `Ledger` promises. */
export const LEDGER_FOLD_START = { type: 'BooksClosed', count: 2 } as const

export class InsufficientFunds extends DomainError {
  readonly required: Money
  readonly balance: Money

  constructor(required: Money, balance: Money) {
    super(
      'INSUFFICIENT_FUNDS',
      `The balance is too low: ${formatUsd(required)} USD needed, ${formatUsd(balance)} USD there.`,
      {
        required_amount: toUsdNumber(required),
        current_balance: toUsdNumber(balance),
        shortfall: toUsdNumber(required - balance),
      },
    )
    this.required = required
    this.balance = balance
  }
}

/** The same reference with another amount is another credit, not a repeat. */
export class CreditReferenceReused extends DomainError {
  constructor(credited: Money, amount: Money) {
    super(
      'CREDIT_REFERENCE_REUSED',
      `This reference credited ${formatUsd(credited)} USD before, not ${formatUsd(amount)}: nothing was credited. Use another reference.`,
      { credited_amount: toUsdNumber(credited), amount: toUsdNumber(amount) },
    )
  }
}

/** What may be on an account at most, open charges included: 9 billion USD. Databases keep amounts in 64 bits. */
export const MOST_BALANCE: Money = 9_000_000_000_000_000_000n

/** A request that no retry of a well-behaved caller makes: refused, never bent to fit. */
export class LedgerRefusal extends DomainError {}

/** The month (UTC, `2026-11`) in whose books a posting of that moment stands. */
export const ledgerMonth = (at: number): string => new Date(at).toISOString().slice(0, 7)
const total = (lines: readonly ChargeLine[]): Money => lines.reduce((sum, line) => sum + line.amount, 0n)
const linesOf = (rest: Map<string, Money>): ChargeLine[] =>
  [...rest].filter(([, amount]) => amount > 0n).map(([price, amount]) => ({ price, amount }))

export const ledger: Decider<LedgerCommand, LedgerEvent, Ledger> = {
  initialState: () => ({
    balance: 0n,
    totals: { credited: 0n, charged: 0n, refunded: 0n },
    month: null,
    charges: new Map(),
    credits: new Map(),
    refunds: new Map(),
    closed: false,
  }),

  evolve(state, event) {
    if (event.type === 'BooksClosed') return openBooks(state, event)
    const month = (state.month ??= ledgerMonth(event.at))
    switch (event.type) {
      case 'LedgerClosed':
        state.closed = true
        return state
      case 'BalanceCredited':
        state.balance += event.amount
        state.totals.credited += event.amount
        state.credits.set(event.creditId, { amount: event.amount, month })
        return state
      case 'BalanceCharged':
        state.balance -= event.amount
        state.totals.charged += event.amount
        state.charges.set(event.chargeId, newCharge(event.amount, event.lines, month))
        return state
      case 'ChargeSettled':
        return end(state, state.charges.get(event.chargeId)!)
      case 'BalanceRefunded': {
        const charge = state.charges.get(event.chargeId)!
        if (charge.open)
          for (const { price, amount } of event.lines)
            charge.rest.set(price, (charge.rest.get(price) ?? 0n) - amount)
        state.balance += event.amount
        state.totals.refunded += event.amount
        state.refunds.set(event.refundId, event.chargeId)
        return linesOf(charge.rest).length === 0 ? end(state, charge) : state
      }
    }
  },

  decide(command, state) {
    const events = decidePosting(command, state)
    const month = ledgerMonth(command.at)
    return events.length > 0 && state.month !== null && month > state.month
      ? [closeBooks(state, month), ...events]
      : events
  },
}

function decidePosting(command: LedgerCommand, state: Ledger): LedgerEvent[] {
  const { at } = command
  switch (command.type) {
    case 'Credit': {
      const { creditId, amount, reference } = command
      const credited = state.credits.get(creditId)?.amount
      if (credited !== undefined && credited !== amount) throw new CreditReferenceReused(credited, amount)
      if (credited !== undefined) return []
      if (state.closed) throw new AccountIsClosed()
      if (amount <= 0n) throw new LedgerRefusal('VALIDATION_ERROR', 'A credit must be more than nothing.')
      if (state.balance + openRest(state) + amount > MOST_BALANCE)
        throw new LedgerRefusal(
          'VALIDATION_ERROR',
          `An account holds no more than ${formatUsd(MOST_BALANCE)} USD.`,
          { current_balance: toUsdNumber(state.balance) },
        )
      return [{ type: 'BalanceCredited', creditId, amount, reference, at }]
    }
    case 'Charge': {
      const { chargeId, lines, cause } = command
      if (state.charges.has(chargeId)) return []
      if (state.closed) throw new AccountIsClosed()
      refuseNegative(lines)
      const amount = total(lines)
      if (state.balance < amount) throw new InsufficientFunds(amount, state.balance)
      return [{ type: 'BalanceCharged', chargeId, amount, lines, cause, at }]
    }
    case 'Settle':
      return knownCharge(state, command.chargeId).open
        ? [{ type: 'ChargeSettled', chargeId: command.chargeId, at }]
        : []
    case 'Refund': {
      if (state.refunds.has(command.refundId)) return []
      const charge = knownCharge(state, command.chargeId)
      refuseNegative(command.lines)
      const lines = command.lines.filter(({ amount }) => amount > 0n)
      refuseMoreThanIsLeft(command.chargeId, charge, lines)
      return lines.length > 0 ? [refunded(command, lines)] : []
    }
    case 'CloseLedger': {
      const isOpen = state.charges.values().some((charge) => charge.open)
      return isOpen || state.closed ? [] : [{ type: 'LedgerClosed', balance: state.balance, at }]
    }
    case 'RefundRest': {
      const charge = state.charges.get(command.chargeId)
      return charge?.open && !state.refunds.has(command.refundId)
        ? [refunded(command, linesOf(charge.rest))]
        : []
    }
  }
}

function refunded(
  { refundId, chargeId, reason, at }: { refundId: string; chargeId: string; reason: string; at: number },
  lines: ChargeLine[],
): LedgerEvent {
  return { type: 'BalanceRefunded', refundId, chargeId, amount: total(lines), lines, reason, at }
}

/** What refunds may still bring back. */
const openRest = ({ charges }: Ledger): Money =>
  charges
    .values()
    .filter(({ open }) => open)
    .reduce((sum, { rest }) => rest.values().reduce((all, amount) => all + amount, sum), 0n)

function refuseNegative(lines: readonly ChargeLine[]): void {
  const prices = new Set(lines.map((line) => line.price))
  if (prices.size < lines.length || lines.some((line) => line.amount < 0n))
    throw new LedgerRefusal('VALIDATION_ERROR', 'Lines name each price once, with no negative amount.')
}

function refuseMoreThanIsLeft(chargeId: string, charge: Charge, lines: readonly ChargeLine[]): void {
  if (lines.some(({ price, amount }) => !charge.open || amount > (charge.rest.get(price) ?? 0n)))
    throw new LedgerRefusal('REFUND_EXCEEDS_CHARGE', 'No more can be refunded than is left of the charge.', {
      charge_id: chargeId,
    })
}

function knownCharge(state: Ledger, chargeId: string): Charge {
  const charge = state.charges.get(chargeId)
  if (!charge)
    throw new LedgerRefusal('CHARGE_NOT_FOUND', 'There is no such charge.', { charge_id: chargeId })
  return charge
}

function newCharge(amount: Money, rest: readonly ChargeLine[], month: string): Charge {
  return {
    amount,
    rest: new Map(rest.map((line) => [line.price, line.amount])),
    open: true,
    refundsAreKnown: true,
    month,
  }
}

/** One for all: a busy ledger remembers a million charges that have ended. */
const NO_REST = new Map<string, Money>()

function end(state: Ledger, charge: Charge): Ledger {
  charge.open = false
  charge.rest = NO_REST
  charge.month = state.month!
  return state
}

function closeBooks(state: Ledger, month: string): LedgerEvent {
  const refunds = Map.groupBy(state.refunds, ([, chargeId]) => chargeId)
  const openCharges = [...state.charges]
    .filter(([, charge]) => charge.open)
    .map(([chargeId, { amount, rest, refundsAreKnown }]) => ({
      chargeId,
      amount,
      rest: linesOf(rest),
      ...(refundsAreKnown && { refundIds: (refunds.get(chargeId) ?? []).map(([refundId]) => refundId) }),
    }))
  return {
    type: 'BooksClosed',
    month,
    balance: state.balance,
    totals: { ...state.totals },
    openCharges,
  }
}

/** Starts a fold from what the event carries or, in the middle of one, forgets what ended before the month just closed. */
function openBooks(state: Ledger, event: Extract<LedgerEvent, { type: 'BooksClosed' }>): Ledger {
  const closed = state.month
  state.month = event.month
  if (closed === null) {
    state.balance = event.balance
    state.totals = { ...event.totals }
    for (const { chargeId, amount, rest, refundIds } of event.openCharges) {
      state.charges.set(chargeId, {
        ...newCharge(amount, rest, event.month),
        refundsAreKnown: refundIds !== undefined,
      })
      for (const refundId of refundIds ?? []) state.refunds.set(refundId, chargeId)
    }
    return state
  }
  for (const [id, charge] of state.charges)
    if (!charge.open && charge.month < closed) state.charges.delete(id)
  for (const [id, { month }] of state.credits) if (month < closed) state.credits.delete(id)
  for (const [id, chargeId] of state.refunds) if (!state.charges.has(chargeId)) state.refunds.delete(id)
  return state
}
