import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import { nano } from '../harness/batches.ts'
import type { Answer } from '../harness/client.ts'
import { inOrder, isBroken, observable, PRICE, type AccountModel } from './model.ts'
import type { Service } from './service.ts'
import { under, type Weather } from './weather.ts'

/** A request among others. `key`: its Idempotency-Key, with which others are the same request. */
export type Request = { account: number; key: string | null } & (
  | { kind: 'upload'; name: string; collection: string | null; overwrite: boolean }
  | { kind: 'batch'; names: string[]; collection: string | null; overwrite: boolean }
  | { kind: 'move'; names: string[]; collection: string }
  | { kind: 'remove'; name: string; receipt: boolean }
  | { kind: 'remove collection'; collection: string; receipt: boolean }
  | { kind: 'advanced' | 'ask' }
  | { kind: 'similar'; name: string }
)

/** `isRepeated`: it was sent again, as the process that was sent it first crashed before it answered. */
type Answered = Request & { answer: Answer; isRepeated: boolean }

/** Between two looks whether what is under way has ended. */
const AGAIN_MS = 50

export const described = ({ account, kind, ...rest }: Request): string =>
  `${kind} of account ${account} ${JSON.stringify(rest)}`

/**
 * Requests at once, in that weather. The model does not foretell their outcome; responses, money, lists, proofs
 * and the bytes that are kept must agree.
 */
export async function atOnce(
  accounts: AccountModel[],
  requests: readonly Request[],
  weather: Weather,
  service: Service,
): Promise<void> {
  const before = [...accounts]
  // What was asked under a key is new once the clock has leapt.
  const spreadMs = weather.leap > 0 ? 0 : weather.spreadMs
  const stored = await Promise.all(accounts.map((_, account) => service.ingestsOf(account)))
  const answered = await under(service, weather, () =>
    Promise.all(
      requests.map(async (request, place): Promise<Answered> => {
        await sleep((spreadMs * place) / requests.length)
        const { answer, isRepeated } = await answerTo(service, request)
        const gone = namesErased(request, before[request.account]!, requests)
        expectErased(gone, answer, stored[request.account]!)
        return { ...request, answer, isRepeated }
      }),
    ),
  )
  await service.quiet()
  for (const account of accounts.keys()) {
    const own = answered.filter((one) => one.account === account)
    const seen = await service.observe(account)
    const next = { balance: seen.balance, items: new Map(Object.entries(seen.items)) }
    // Lists, counts and searches agree with each other.
    expect(isDeepStrictEqual(seen, observable(next)), JSON.stringify([seen, observable(next)])).toBe(true)
    const delivered = await deliveredTo(service, own)
    const spent = before[account]!.balance - seen.balance
    // What was done before the crash, and is gone since, was paid for.
    if (own.some(({ isRepeated, answer }) => isRepeated && answer.status === 410))
      expect(spent, told('money', own)).toBeGreaterThanOrEqual(delivered.spent)
    else expect(spent, told('money', own)).toBe(delivered.spent)
    if (own.every(({ answer, isRepeated }) => answer.status < 500 && !isRepeated))
      expectCounted(delivered, before[account]!.items.size, next.items.size, told('deletions count', own))
    // A request counts as dead once the clock has gone on for long.
    const { failing, diskFailing, leap, broken } = weather
    const mayFail = failing > 0 || diskFailing > 0 || leap > 0 || broken === account
    for (const one of own) expectRight(one, own, before[account]!, next, mayFail)
    accounts[account] = next
    await expectProven(service, account, seen.balance)
  }
}

/** Sends a request until it is answered, as clients do. */
async function answerTo(
  service: Service,
  request: Request,
): Promise<Pick<Answered, 'answer' | 'isRepeated'>> {
  let isRepeated = false
  for (;;) {
    const answer = await service.answered(() => send(service, request))
    // What the process that crashed was at is under way until it counts as dead.
    const isUnderWay = isRepeated && /^request_in_progress$/i.test(answer?.body.error?.code)
    if (answer && !isUnderWay) return { answer, isRepeated }
    if (answer) await sleep(AGAIN_MS)
    isRepeated = true
  }
}

async function send(service: Service, request: Request): Promise<Answer> {
  const { account, key } = request
  const headers: Record<string, string> = key === null ? {} : { 'idempotency-key': key }
  switch (request.kind) {
    case 'upload':
      return service.upload(account, request, headers)
    case 'batch':
      return service.begin(account, request, headers)
    case 'move':
      return service.move(account, request.names, request.collection)
    case 'remove':
      return service.remove(account, request.name, request.receipt)
    case 'remove collection':
      return service.removeCollection(account, request.collection, request.receipt)
    case 'advanced':
    case 'ask':
    case 'similar':
      return service.pay(account, request, headers)
  }
}

/** Items that were there, and of which a receipt for this request tells, whatever the others do. */
function namesErased(request: Request, { items }: AccountModel, all: readonly Request[]): string[] {
  if (request.kind === 'remove') return request.receipt ? [request.name] : []
  if (request.kind !== 'remove collection' || !request.receipt) return []
  const others = all.filter(({ account }) => account === request.account)
  const mayLeave = (name: string): boolean =>
    others.some(
      (other) =>
        (other.kind === 'move' && other.names.includes(name)) ||
        ((other.kind === 'upload' || other.kind === 'batch') && other.overwrite),
    )
  return [...items].flatMap(([name, place]) =>
    place === request.collection && !mayLeave(name) ? [name] : [],
  )
}

/** A receipt says that no byte of what the items had is kept. */
function expectErased(
  names: readonly string[],
  { status, body }: Answer,
  stored: ReadonlyMap<string, string>,
): void {
  if (status !== 200 || body.data.erasure?.status !== 'erased') return
  for (const name of names) {
    const ingest = stored.get(name)
    if (ingest !== undefined) expect(existsSync(ingest), `bytes of ${name} after its receipt`).toBe(false)
  }
}

/** What the answers to an account say was done. */
interface Delivered {
  /** Nano-USD. */
  spent: number
  /** Files stored: those that were new, and those that may have been there. */
  stored: { fresh: number; overwriting: number }
  /**
   * Items. Two requests may say the same: that an item was deleted, and with a receipt of which another hears, that a
   * collection was.
   */
  deleted: { least: number; most: number }
}

/** A repeated key is one request. */
async function deliveredTo(service: Service, answered: readonly Answered[]): Promise<Delivered> {
  const delivered: Delivered = {
    spent: 0,
    stored: { fresh: 0, overwriting: 0 },
    deleted: { least: 0, most: 0 },
  }
  const succeeded = answered.filter(({ answer }) => answer.status === 200)
  const first = (one: Answered): Answered => succeeded.find(({ key }) => key === one.key)!
  for (const one of succeeded.filter((one) => one.key === null || !isRepeatable(one) || first(one) === one)) {
    const { data } = one.answer.body
    if (one.kind === 'upload' || one.kind === 'batch') {
      const files = one.kind === 'upload' ? 1 : await storedBy(service, one.account, one.answer)
      delivered.spent += PRICE * files
      delivered.stored[one.overwrite ? 'overwriting' : 'fresh'] += files
    } else if (one.kind === 'ask') delivered.spent += nano(data.billing.total_cost)
    else if (one.kind === 'advanced' || one.kind === 'similar') delivered.spent += nano(data.cost)
    else if (one.kind === 'remove') delivered.deleted.most++
    else if (one.kind === 'remove collection') delivered.deleted.most += data.deleted_items
  }
  const ends = succeeded.filter((one) => one.kind === 'remove collection')
  for (const same of Map.groupBy(ends, ({ collection }) => collection).values()) {
    const counts = same.map(({ answer }) => answer.body.data.deleted_items as number)
    const isToldTwice = same.some(({ receipt }) => receipt)
    delivered.deleted.least += isToldTwice
      ? Math.max(...counts)
      : counts.reduce((sum, count) => sum + count, 0)
  }
  return delivered
}

/** Whether its Idempotency-Key is read. */
const isRepeatable = ({ kind }: Request): boolean => !['move', 'remove', 'remove collection'].includes(kind)

/** What is there now is what was there, and came, and was not said to be deleted. */
function expectCounted({ stored, deleted }: Delivered, before: number, after: number, why: string): void {
  const least = before + stored.fresh
  expect(after, why).toBeGreaterThanOrEqual(least - deleted.most)
  expect(after, why).toBeLessThanOrEqual(least + stored.overwriting - deleted.least)
}

/** How many files a batch stored: each content once. */
async function storedBy(service: Service, account: number, answer: Answer): Promise<number> {
  const outcomes = await service.outcomes(account, answer)
  const names = outcomes.filter(({ status }) => status === 'succeeded').map(({ name }) => name)
  expect(inOrder(names), 'files of a batch that were stored').toEqual(inOrder([...new Set(names)]))
  return names.length
}

const isOutOfTime = ({ answer }: Answered): boolean => answer.body.error?.details?.reason === 'timeout'

/** Whether the request may have stored the item, or overwritten it. */
const mayBring = (one: Answered, name: string): boolean =>
  (one.kind === 'upload' && one.name === name) || (one.kind === 'batch' && one.names.includes(name))

const mayRemove = (one: Answered, name: string): boolean =>
  one.kind === 'remove collection' || (one.kind === 'remove' && one.name === name)

const changesItems = ({ kind }: Request): boolean =>
  ['upload', 'batch', 'remove', 'remove collection'].includes(kind)

/** A refusal has a reason, and what is said to be done shows. */
function expectRight(
  one: Answered,
  all: readonly Answered[],
  before: AccountModel,
  after: AccountModel,
  mayFail: boolean,
): void {
  const { status, body } = one.answer
  const others = all.filter((other) => other !== one)
  const why = told(`${one.kind}: ${status} ${JSON.stringify(body.error ?? '')}`, all)
  if (status >= 500) {
    expect(mayFail, why).toBe(true)
    return
  }
  const repeats = one.key !== null && others.some((other) => other.key === one.key)
  const brings = (name: string): boolean => others.some((other) => mayBring(other, name))
  const removes = (name: string): boolean => others.some((other) => mayRemove(other, name))
  // A repeat may come while the first is at work, or after what it stored or showed is gone.
  const mayBeGone = one.kind === 'upload' ? removes(one.name) : others.some(changesItems)
  if (repeats && status === 409) return
  if ((repeats || one.isRepeated) && status === 410 && mayBeGone) return
  switch (one.kind) {
    case 'upload':
      if (status === 409)
        expect((before.items.has(one.name) && !one.overwrite) || brings(one.name), why).toBe(true)
      else if (isBroken(one.name) || isOutOfTime(one)) expect(status, why).toBe(400)
      else {
        expect(status, why).toBe(200)
        expect(after.items.has(one.name) || removes(one.name), why).toBe(true)
      }
      break
    case 'remove':
      if (status === 404)
        expect(one.isRepeated || !before.items.has(one.name) || removes(one.name), why).toBe(true)
      else {
        expect(status, why).toBe(200)
        expect(before.items.has(one.name) || brings(one.name), why).toBe(true)
        expect(after.items.has(one.name) && !brings(one.name), why).toBe(false)
      }
      break
    case 'remove collection': {
      const inside = [...before.items].filter(([, place]) => place === one.collection)
      const leaves = (name: string): boolean =>
        removes(name) ||
        brings(name) ||
        others.some((other) => other.kind === 'move' && other.names.includes(name))
      if (status === 404) expect(one.isRepeated || inside.every(([name]) => leaves(name)), why).toBe(true)
      else expect(status, why).toBe(200)
      break
    }
    case 'move':
      if (status !== 404) expect(status, why).toBe(200)
      else
        expect(
          one.names.every((name) => before.items.has(name) && !removes(name)),
          why,
        ).toBe(false)
      break
    case 'similar':
      if (status !== 404) expect(status, why).toBe(200)
      else expect(before.items.has(one.name) && !removes(one.name), why).toBe(false)
      break
    default:
      expect(status, why).toBe(200)
  }
}

/** The history of the account's money is proven, as it stands and as it stood, and usage and statement tell the same. */
async function expectProven(service: Service, account: number, balance: number): Promise<void> {
  const { moments, months, ...sums } = await service.ledger(account)
  for (const [until, holds] of moments) expect(holds, `proof of account ${account} until ${until}`).toBe(true)
  for (const { month, usage, statement, proven } of months) {
    expect(usage, `${month} of account ${account}`).toEqual(statement)
    expect(proven, `statement of ${month}`).toBe(true)
  }
  expect(sums.balance).toBe(balance)
}

const told = (what: string, all: readonly Answered[]): string =>
  [
    what,
    ...inOrder(
      all.map(
        ({ answer, ...request }) =>
          `${described(request)}: ${answer.status} ${answer.body.error?.code ?? ''}`,
      ),
    ),
  ].join('\n')
