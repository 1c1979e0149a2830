import type { UsageChange } from '@medialog/application/ports'
import { BEFORE_POSTINGS, nextTime, type Cause, type LedgerTime } from '@medialog/domain'
import type { Uuid } from '@medialog/kernel'
import { SPANS } from '../../usage/costs.ts'
import { postingOf, type Posting } from '../../usage/posting.ts'
import { keyword, long } from '../definition.ts'
import type { Place } from '../documents-of-batch.ts'
import { plainIndex, type PlainDocuments } from '../plain-index.ts'

/** Amounts are digits of nano-USD: the engine's own sums are those of doubles. */
type Digits = string

/** A posting with the balance after it. */
export interface PostingDocument extends Pick<Posting, 'type' | 'reference'> {
  kind: 'posting'
  account: Uuid
  /** Credit, charge or refund id. */
  posting: string
  position: number
  /** When it counts, as the domain's `nextTime` has it: never before the account's posting before it. */
  at: number
  amount: Digits
  balance: Digits
  costs: [price: string, amount: Digits][]
  cause: Cause | null
}

/** What a charge was for: its refunds say so too. */
interface ChargeDocument {
  kind: 'charge'
  account: Uuid
  cause: Cause
}

/** What an account's next posting is decided by. */
interface BalanceDocument extends LedgerTime {
  kind: 'balance'
  account: Uuid
  balance: Digits
  /** Of the leap: where its postings are, and when they count as long as it is not corrected. */
  tentative: { position: number; at: number }[]
}

/** Costs by hour and by day, so that no report adds up more postings than those of two hours. */
export interface CostDocument {
  kind: 'cost'
  account: Uuid
  span: number
  start: number
  amounts: Record<string, Digits>
}

type AnyDocument = PostingDocument | ChargeDocument | BalanceDocument | CostDocument
type Documents = PlainDocuments<AnyDocument>

const ofAccount = (routing: Uuid, id: string): Place => ({ id, routing })
const balancePlace = (account: Uuid): Place => ofAccount(account, `balance/${account}`)
const chargePlace = (account: Uuid, charge: string): Place =>
  ofAccount(account, `charge/${account}/${charge}`)
const postingPlace = (account: Uuid, position: number): Place =>
  ofAccount(account, `posting/${account}/${String(position).padStart(16, '0')}`)

/** By hour and by day. */
const costPlaces = (account: Uuid, at: number): (Place & { span: number; start: number })[] =>
  SPANS.map((span) => {
    const start = at - (at % span)
    return { ...ofAccount(account, `cost/${account}/${span}/${start}`), span, start }
  })

/** What was charged, refunded and credited. */
export const usageIndex = plainIndex<UsageChange, AnyDocument>({
  name: 'usage',
  version: 2,
  properties: {
    account: keyword,
    posting: keyword,
    type: keyword,
    position: long,
    at: long,
    span: long,
    start: long,
  },
  kinds: ['posting', 'charge', 'balance', 'cost'],
  concerned: (change) => [
    balancePlace(change.accountId),
    ...costPlaces(change.accountId, change.at),
    ...(change.type === 'PostCredit' ? [] : [chargePlace(change.accountId, change.chargeId)]),
  ],
  apply,
  // A balance that landed says that everything up to its posting has, and nothing of the balances before it.
  isFirst: ({ kind }) => kind !== 'balance',
})

async function apply(documents: Documents, change: UsageChange, position: number): Promise<void> {
  const { accountId: account } = change
  const place = balancePlace(account)
  const before = await documents.get<BalanceDocument>(place.id, place.routing)
  if (documents.versionOf(place.id) >= position) return
  const { id: posting, type, amount, costs, reference } = postingOf(change)
  const { time, corrected } = nextTime(before ?? BEFORE_POSTINGS, change.at)
  const { at, leap } = time
  const balance = String(BigInt(before?.balance ?? 0) + amount)
  const cause = await causeOf(documents, change, position)
  const counted = costs.map((cost) => ({ ...cost, at }))
  if (corrected !== null)
    counted.push(...(await correct(documents, account, before!.tentative, corrected, position)))
  await documents.change<PostingDocument>(postingPlace(account, position), position, () => ({
    kind: 'posting',
    account,
    posting,
    position,
    at,
    type,
    amount: String(amount),
    balance,
    costs: costs.map(({ price, amount }) => [price, String(amount)]),
    cause,
    reference,
  }))
  await count(documents, account, counted, position)
  const tentative = leap === null || leap.postings === 1 ? [] : (before?.tentative ?? [])
  await documents.change<BalanceDocument>(place, position, () => ({
    kind: 'balance',
    account,
    balance,
    at,
    leap,
    tentative: leap === null ? [] : [...tentative, { position, at }],
  }))
}

/** Moves the postings of a leap to when they count after all. Their costs are to be counted then, and no longer where they were. */
async function correct(
  documents: Documents,
  account: Uuid,
  tentative: BalanceDocument['tentative'],
  corrected: number,
  position: number,
): Promise<CountedCost[]> {
  const counted: CountedCost[] = []
  for (const { position: of, at } of tentative) {
    const place = postingPlace(account, of)
    const posting = (await documents.get<PostingDocument>(place.id, place.routing))!
    for (const [price, digits] of posting.costs)
      counted.push({ price, amount: -BigInt(digits), at }, { price, amount: BigInt(digits), at: corrected })
    await documents.change<PostingDocument>(place, position, () => ({ ...posting, at: corrected }))
  }
  return counted
}

interface CountedCost {
  price: string
  amount: bigint
  at: number
}

/** A document takes one change a position: all of its costs together. */
async function count(
  documents: Documents,
  account: Uuid,
  costs: readonly CountedCost[],
  position: number,
): Promise<void> {
  const byPlace = new Map<string, { place: ReturnType<typeof costPlaces>[number]; costs: CountedCost[] }>()
  for (const cost of costs)
    for (const place of costPlaces(account, cost.at)) {
      const known = byPlace.get(place.id)
      if (known) known.costs.push(cost)
      else byPlace.set(place.id, { place, costs: [cost] })
    }
  for (const { place, costs } of byPlace.values()) {
    const { span, start, ...costPlace } = place
    await documents.change<CostDocument>(costPlace, position, (before) => {
      const amounts = { ...before?.amounts }
      for (const { price, amount } of costs) amounts[price] = String(BigInt(amounts[price] ?? 0) + amount)
      return { kind: 'cost', account, span, start, amounts }
    })
  }
}

/** A charge's own, which is kept for its refunds; none of a credit. */
async function causeOf(documents: Documents, change: UsageChange, position: number): Promise<Cause | null> {
  if (change.type === 'PostCredit') return null
  const { accountId: account, chargeId } = change
  const place = chargePlace(account, chargeId)
  if (change.type === 'PostCharge') {
    const { cause } = change
    await documents.change<ChargeDocument>(
      place,
      position,
      (known) => known ?? { kind: 'charge', account, cause },
    )
    return cause
  }
  return (await documents.get<ChargeDocument>(place.id, place.routing))?.cause ?? null
}
