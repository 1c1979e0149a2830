import { decodeRecorded, isKnownEvent } from '@medialog/contract'
import { AccountNotFound, LedgerReplay, type LedgerEvent, type ReplayedCharge } from '@medialog/domain'
import { sum, type Money, type Uuid } from '@medialog/kernel'
import type { PriceKey, Prices } from '../billing/prices.ts'
import type { Ports } from '../core/ports.ts'
import { streamName } from '../event-sourcing/streams.ts'
import type { AccountRecord } from '../ports/index.ts'
import { BatchOutcomes, filePrice } from './batch-outcomes.ts'

export interface RepriceQuery {
  /** Those that are not named stay as they are. */
  prices: Partial<Prices>
  /** Charges made in `[from, until)`, milliseconds since the epoch. */
  from: number
  until: number
  /** Null: of all accounts. */
  accountId: Uuid | null
}

/** What was charged net of refunds, and what it would have been. */
export interface Repricing {
  charged: Money
  repriced: Money
}

export interface RepricedAccount {
  accountId: Uuid
  name: string
  charges: number
  /** By price key; those that came to nothing both ways are left out. */
  operations: Map<string, Repricing>
  /** Charges whose quantity is not known: they count with what they cost. */
  unexplained: { charges: number; amount: Money }
}

type Repriced = Pick<Ports, 'eventStore' | 'accounts' | 'settings'>

const AT_ONCE = 1_000

/**
 * What the history would have cost under other prices, account by account; those without a charge in the range are left
 * out. `onAccount` hears how many are done. @throws AccountNotFound, EngineUnavailable
 */
export async function repriceHistory(
  { eventStore, accounts, settings }: Repriced,
  { prices, from, until, accountId }: RepriceQuery,
  onAccount: (done: number, all: number) => void,
): Promise<RepricedAccount[]> {
  const all = accountId === null ? await everyAccount(accounts) : [await accounts.account(accountId)]
  const inForce = settings.prices
  const others: Prices = { ...inForce, ...prices }
  const repriced: RepricedAccount[] = []
  for (const [index, known] of all.entries()) {
    if (!known) throw new AccountNotFound()
    const { accountId, name } = known
    const account: RepricedAccount = {
      accountId,
      name,
      charges: 0,
      operations: new Map(),
      unexplained: { charges: 0, amount: 0n },
    }
    const batches = new BatchOutcomes(eventStore)
    for await (const charge of chargesOf(eventStore, accountId))
      if (charge.at >= from && charge.at < until)
        count(account, charge, repricedCharge(charge, await priceOfFile(charge, batches), inForce, others))
    if (account.charges > 0) repriced.push(account)
    onAccount(index + 1, all.length)
  }
  return repriced
}

async function everyAccount(accounts: Repriced['accounts']): Promise<AccountRecord[]> {
  const all: AccountRecord[] = []
  for (;;) {
    const page = await accounts.list({ offset: all.length, limit: AT_ONCE })
    all.push(...page.accounts)
    if (page.accounts.length < AT_ONCE) return all
  }
}

/** Every charge of a ledger with what is left of it: as it ended or, last, as it is open. */
async function* chargesOf(
  eventStore: Repriced['eventStore'],
  accountId: Uuid,
): AsyncGenerator<ReplayedCharge> {
  const replay = new LedgerReplay()
  for await (const recorded of eventStore.read(streamName('ledger', accountId))) {
    if (!isKnownEvent(recorded)) continue
    const { ended } = replay.apply(decodeRecorded(recorded) as LedgerEvent)
    if (ended) yield ended
  }
  yield* replay.openCharges
}

/** Of a batch, as it was then: the batch itself tells. */
async function priceOfFile({ cause }: ReplayedCharge, batches: BatchOutcomes): Promise<Money | null> {
  const outcome = cause.batchId ? await batches.of(cause.batchId) : null
  return outcome && filePrice(outcome.intent)
}

const FILE: readonly PriceKey[] = ['DOCUMENT_PROCESSING', 'VECTOR_PROCESSING']

/**
 * A charge under other prices, by price key; null where its quantity is not known. A search and a question say
 * that by the price of a level or the base fee, for which the list in force is taken; token charges stay as they were.
 * @param fileThen what a file of its batch was charged, for charges of batches
 */
export function repricedCharge(
  { cause, rest }: Pick<ReplayedCharge, 'cause' | 'rest'>,
  fileThen: Money | null,
  inForce: Prices,
  others: Prices,
): Map<string, Money> | null {
  if (rest.size === 0) return new Map()
  const times = (keys: readonly PriceKey[], units: Money | null) =>
    units === null ? null : new Map(keys.map((key) => [key, others[key] * units]))
  const [[key, amount]] = [...rest] as [[PriceKey, Money]]
  switch (cause.operation) {
    case 'upload':
      return times(FILE, 1n)
    case 'batch':
      return times(FILE, wholeTimes(sum(rest.values()), fileThen ?? 0n))
    case 'analyze':
    case 'similar':
      return times([key], 1n)
    case 'search':
      return times([key], wholeTimes(amount, inForce[key]))
    case 'ask':
      return amount < inForce[key] ? null : new Map([[key, amount - inForce[key] + others[key]]])
    default:
      return null
  }
}

const wholeTimes = (amount: Money, price: Money): Money | null =>
  price > 0n && amount % price === 0n ? amount / price : null

function count(
  account: RepricedAccount,
  { rest }: ReplayedCharge,
  repriced: Map<string, Money> | null,
): void {
  account.charges++
  if (!repriced) {
    account.unexplained.charges++
    account.unexplained.amount += sum(rest.values())
  }
  const other = repriced ?? rest
  for (const key of new Set([...rest.keys(), ...other.keys()])) {
    const { charged, repriced } = account.operations.get(key) ?? { charged: 0n, repriced: 0n }
    account.operations.set(key, {
      charged: charged + (rest.get(key) ?? 0n),
      repriced: repriced + (other.get(key) ?? 0n),
    })
  }
}
