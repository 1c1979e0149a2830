import type { GroupBy, PostingRow, TimeRange, Transaction, Usage } from '@medialog/application/ports'
import type { DecodedEvent } from '@medialog/contract'
import { BEFORE_POSTINGS, nextTime, type ChargeLine, type LedgerTime } from '@medialog/domain'
import type { LogPosition, Uuid } from '@medialog/kernel'
import {
  kindOf,
  type DocumentQueries,
  type Documents,
  type Found,
  type Kind,
  type RecordModel,
} from '../documents.ts'
import { bucketOf, Costs, DAY, HOUR, piecesOf, SPANS, type Piece } from './costs.ts'

/** Amounts are digits of nano-USD: JSON has no integers of 64 bits. */
type Digits = string

interface StoredPosting extends Pick<Transaction, 'type' | 'cause' | 'reference'> {
  accountId: Uuid
  position: LogPosition
  /** Credit, charge or refund id. */
  postingId: string
  /** When it counts, as the domain's `nextTime` has it: never before the account's posting before it. */
  at: number
  /** Signed: what it did to the balance. */
  amount: Digits
  /** Right after it. */
  balance: Digits
  /** Signed: what it did to the costs. */
  costs: [price: string, amount: Digits][]
}

/** What the account's next posting is decided by. */
interface StoredBalance extends LedgerTime {
  balance: Digits
  /** The postings of the leap, and when they count as long as it is not corrected. */
  tentative: { key: string; at: number }[]
}

/** Costs of an hour and of a day, so that no report adds up more postings than those of two hours. */
interface StoredCost {
  accountId: Uuid
  span: number
  start: number
  amounts: { [price: string]: Digits }
}

const postings = kindOf<StoredPosting>('posting', {
  fields: { accountId: 'keyword', position: 'long', type: 'keyword', at: 'long' },
  indexes: [
    ['accountId', 'at', 'position'],
    ['accountId', 'type', 'at', 'position'],
  ],
})
// Postings and costs are made of it.
const balances = kindOf<StoredBalance>('balance', { fields: {}, isWrittenLast: true })
const costs = kindOf<StoredCost>('cost', {
  fields: { accountId: 'keyword', span: 'long', start: 'long' },
  indexes: [['accountId', 'span', 'start']],
})

/** An account has one posting of a type and id. */
const keyOf = (type: Transaction['type'], postingId: string): string => `${type}/${postingId}`
const idOf = (accountId: Uuid, key: string): string => `${accountId}/${key}`

/** What was charged, refunded and credited. */
export const usageModel: RecordModel = {
  name: 'usage',
  kinds: [postings, balances, costs],
  reducers: { ledger: reduce },
}

/** What an event posts, without what depends on the postings before it. */
type Posted = Pick<StoredPosting, 'postingId' | 'type' | 'cause' | 'reference' | 'costs'> & {
  amount: bigint
  /** When it was decided. */
  at: number
}

function reduce(decoded: DecodedEvent<'ledger'>, documents: Documents): void {
  const { id: accountId } = decoded
  const { position } = decoded.recorded
  const posted = postedBy(decoded, documents)
  if (!posted) return
  documents.update(balances, accountId, (before) => {
    const { amount, at: decidedAt, ...posting } = posted
    const { time, corrected } = nextTime(before ?? BEFORE_POSTINGS, decidedAt)
    const balance = String(BigInt(before?.balance ?? 0) + amount)
    const { at, leap } = time
    if (corrected !== null) correct(documents, accountId, before!.tentative, corrected)
    const stored = { ...posting, accountId, position, at, amount: String(amount), balance }
    const key = keyOf(posted.type, posted.postingId)
    documents.put(postings, idOf(accountId, key), stored)
    count(documents, accountId, at, posted.costs)
    const tentative = leap === null || leap.postings === 1 ? [] : (before?.tentative ?? [])
    return { ...time, balance, tentative: leap === null ? [] : [...tentative, { key, at }] }
  })
}

function postedBy({ event, id: accountId }: DecodedEvent<'ledger'>, documents: Documents): Posted | null {
  switch (event.type) {
    case 'BalanceCredited': {
      const { creditId: postingId, amount, reference, at } = event
      return { postingId, type: 'credit', amount, costs: [], cause: null, reference, at }
    }
    case 'BalanceCharged': {
      const { chargeId, amount, lines, cause, at } = event
      const costs = costsOf(lines, 1n)
      return { postingId: chargeId, type: 'charge', amount: -amount, costs, cause, reference: null, at }
    }
    case 'BalanceRefunded': {
      const { refundId: postingId, chargeId, amount, lines, reason: reference, at } = event
      const cause = documents.get(postings, idOf(accountId, keyOf('charge', chargeId)))?.cause ?? null
      return { postingId, type: 'refund', amount, costs: costsOf(lines, -1n), cause, reference, at }
    }
    case 'LedgerClosed':
    case 'ChargeSettled':
    case 'BooksClosed':
      return null
  }
}

const costsOf = (lines: readonly ChargeLine[], sign: bigint): StoredPosting['costs'] =>
  lines.map(({ price, amount }) => [price, String(sign * amount)])

/** Moves the postings of a leap, and their costs, to when they count after all. */
function correct(
  documents: Documents,
  accountId: Uuid,
  tentative: StoredBalance['tentative'],
  corrected: number,
): void {
  for (const { key, at } of tentative) {
    const id = idOf(accountId, key)
    const posting = documents.get(postings, id)
    // Not read yet.
    if (!posting) continue
    documents.put(postings, id, { ...posting, at: corrected })
    count(documents, accountId, at, negated(posting.costs))
    count(documents, accountId, corrected, posting.costs)
  }
}

const negated = (costs: StoredPosting['costs']): StoredPosting['costs'] =>
  costs.map(([price, amount]) => [price, String(-BigInt(amount))])

/** Counts the costs of a moment by hour and by day; what comes to zero is not there. */
function count(documents: Documents, accountId: Uuid, at: number, counted: StoredPosting['costs']): void {
  if (counted.length === 0) return
  for (const span of SPANS) {
    const start = at - (at % span)
    documents.update(costs, `${accountId}/${span}/${start}`, (before) => {
      const amounts = new Map(Object.entries(before?.amounts ?? {}))
      for (const [price, amount] of counted)
        amounts.set(price, String(BigInt(amounts.get(price) ?? 0) + BigInt(amount)))
      const left = [...amounts].filter(([, amount]) => amount !== '0')
      return left.length === 0 ? null : { accountId, span, start, amounts: Object.fromEntries(left) }
    })
  }
}

const NEWEST = [
  ['at', 'desc'],
  ['position', 'desc'],
] as const
const OLDEST = [
  ['at', 'asc'],
  ['position', 'asc'],
] as const

/** What was charged, refunded and credited. Sums are made here, of integers. */
export function usageOf(read: DocumentQueries): Usage {
  const latest = (
    accountId: Uuid,
    asOf: number = Number.MAX_SAFE_INTEGER,
    { limit = 1, ...where }: { limit?: number; type?: Transaction['type'] } = {},
  ): Promise<StoredPosting[]> =>
    read.find(postings, { where: { accountId, ...where, at: { lte: asOf } }, sort: NEWEST, limit })

  async function costsIn(accountId: Uuid, range: TimeRange, groupBy: GroupBy | null): Promise<Costs> {
    const added = new Costs(groupBy)
    const pieces = piecesOf(range, groupBy)
    const found = await read.findAll(pieces.map((piece) => findCosts(accountId, piece)))
    for (const [at, documents] of found.entries())
      if (pieces[at]!.span > 1)
        for (const { start, amounts } of documents as StoredCost[])
          for (const [price, amount] of Object.entries(amounts)) added.add(start, price, BigInt(amount))
      else
        for (const { at, costs } of documents as StoredPosting[])
          for (const [price, amount] of costs) added.add(at, price, BigInt(amount))
    return added
  }

  return {
    async balance(accountId, asOf) {
      const last =
        asOf === undefined ? await read.get(balances, accountId) : (await latest(accountId, asOf))[0]
      return BigInt(last?.balance ?? 0)
    },

    costs: async (accountId, range) => (await costsIn(accountId, range, null)).byPrice(),
    trends: async (accountId, range, groupBy) => (await costsIn(accountId, range, groupBy)).byBucket(),

    async balances(accountId, { from, to }, groupBy) {
      if (from >= to) return new Map()
      const last = await read.lastOfEach(postings, {
        where: { accountId },
        by: 'at',
        within: { gte: from, lt: to },
        step: groupBy === 'hour' ? HOUR : DAY,
        sort: OLDEST,
      })
      // A month has several days: the last one is kept.
      return new Map(last.map(({ at, balance }) => [bucketOf(at, groupBy), BigInt(balance)]))
    },

    async transactions(accountId, { limit, asOf }) {
      const found = await latest(accountId, asOf, { limit })
      return found.map(({ at, type, amount, balance, cause, reference }) => ({
        at,
        type,
        amount: BigInt(amount),
        balance: BigInt(balance),
        cause,
        reference,
      }))
    },

    async postings(accountId, { after, limit }) {
      const found = await read.find(postings, {
        where: { accountId },
        sort: OLDEST,
        limit,
        ...(after && { after: [after.at, after.position] }),
      })
      return found.map(({ position, postingId: id, type, at, amount, balance }): PostingRow => ({
        position,
        id,
        type,
        at,
        amount: BigInt(amount),
        balance: BigInt(balance),
      }))
    },

    async credited(accountId, creditId) {
      const credit = await read.get(postings, idOf(accountId, keyOf('credit', creditId)))
      return credit && BigInt(credit.amount)
    },

    lastChargeAt: async (accountId, asOf) =>
      (await latest(accountId, asOf, { type: 'charge' }))[0]?.at ?? null,
    position: () => read.position(),
  }
}

const findCosts = (accountId: Uuid, { span, from, to }: Piece): { kind: Kind; found: Found<string> } =>
  span > 1
    ? {
        kind: costs,
        found: { where: { accountId, span, start: { gte: from, lt: to } }, sort: [['start', 'asc']] },
      }
    : { kind: postings, found: { where: { accountId, at: { gte: from, lt: to } }, sort: OLDEST } }
