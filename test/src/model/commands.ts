import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect } from 'vitest'
import type { Answer } from '../harness/client.ts'
import { expectStatus } from '../harness/expect-status.ts'
import { atOnce, described, type Request } from './at-once.ts'
import {
  batch,
  inOrder,
  move,
  observable,
  remove,
  removeCollection,
  upload,
  type AccountModel,
  type Outcome,
} from './model.ts'
import type { Outage, Service } from './service.ts'
import { under, type Weather } from './weather.ts'

export interface State {
  accounts: AccountModel[]
  /** What accounts held at moments of the service's clock: ids with their collections. */
  past: { account: number; at: number; held: Map<string, string> }[]
  /** The latest moment that came before the clock was set back: what is not after it may come twice. */
  twiceUntil: number
}

const MOVES_AT_ONCE = 24
/** How far the service's clock goes in the requests of a command: a millisecond a look. */
const NEARLY_MS = 10_000

/** Every request is carried out. */
const CALM = { failing: 0, timingOut: 0, diskFailing: 0, leap: 0, broken: null }

type Command = fc.AsyncCommand<State, Service>

/** A command of that name, which is shown with a failure. */
const command = (text: string, run: (state: State, service: Service) => Promise<void>): Command => ({
  check: () => true,
  run,
  toString: () => text,
})

/** Every account shows what the model says, and what it held is remembered. */
async function check(state: State, service: Service): Promise<void> {
  for (const [account, model] of state.accounts.entries()) {
    expect(await service.observe(account), `account ${account}`).toEqual(observable(model))
    const ids = service.ids[account]!
    const held = new Map([...model.items].map(([name, collection]) => [ids.get(name)!, collection]))
    const at = service.world.now
    if (at > state.twiceUntil) state.past.push({ account, at, held })
  }
}

/** After a crash, or requests at once, several states are right: the one that is observed is taken. */
async function settle(
  state: State,
  service: Service,
  account: number,
  candidates: readonly AccountModel[],
): Promise<void> {
  const observed = await service.observe(account)
  const found = candidates.find((candidate) => isDeepStrictEqual(observable(candidate), observed))
  state.accounts[account] = found ?? candidates.at(-1)!
}

/** What is to come of a request to an account, and the request. */
type Planned = [Outcome, (service: Service) => Promise<Answer>]

/** One request that the model knows the outcome of. Where the service crashes at it, it was carried out or was not. */
const act = (
  text: string,
  account: number,
  crashes: readonly Outage[],
  plan: (model: AccountModel) => Planned,
): Command =>
  command(`${text} of account ${account}${crashes.map(shown).join('')}`, async (state, service) => {
    const before = state.accounts[account]!
    const [{ status, next }, send] = plan(before)
    const answer = await service.orCrashes(account, crashes, () => send(service))
    if (answer === null) await settle(state, service, account, [before, next])
    else {
      expectStatus(answer, status)
      state.accounts[account] = next
    }
    await check(state, service)
  })

const shown = ({ at, when, months, without }: Outage): string =>
  `, crashed ${when} point ${at} for ${months} months${without ? ', started without its storage' : ''}`

/** Those of the names that are there; all of them where none is. */
function present({ items }: AccountModel, names: string[]): string[] {
  const there = names.filter((name) => items.has(name))
  return there.length > 0 ? there : names
}

/** A batch that is cancelled at once: what its results call processed is there and paid for, the rest is not. */
const cancelled = (account: number, names: string[], collection: string | null): Command =>
  command(`cancelled batch of ${names.join(' ')} of account ${account}`, async (state, service) => {
    const answer = await service.batch(account, { names, collection }, 'cancelled')
    expectStatus(answer, 200)
    const processed = (await service.outcomes(account, answer))
      .filter(({ status }) => status !== 'failed')
      .map(({ name }) => name)
    state.accounts[account] = batch(state.accounts[account]!, { names: processed, collection }).next
    await check(state, service)
  })

let keysMade = 0
/** An upload whose caller disconnects: it is stored, or refunded. The same upload under its key is done and paid once. */
const leaving = (account: number, name: string, afterMs: number, overwrite: boolean, weather: Weather) =>
  command(
    `${overwrite ? 'overwriting ' : ''}upload of ${name} of account ${account}, left after ${afterMs} ms, ${JSON.stringify(weather)}`,
    async (state, service) => {
      const asked = { name, collection: null, overwrite }
      const before = state.accounts[account]!
      const { status, next } = upload(before, asked)
      const key = `left-${keysMade++}`
      await under(service, weather, () => service.leave(account, asked, { afterMs, key }))
      await service.quiet()
      // The request may go on for a while after its caller has left.
      const either = [observable(before), observable(next)]
      const isEither = async () => {
        const seen = await service.observe(account)
        return either.some((one) => isDeepStrictEqual(one, seen))
      }
      await expect.poll(isEither, { timeout: 10_000, interval: 20 }).toBe(true)
      const send = () => service.upload(account, asked, { 'idempotency-key': key })
      let again = await send()
      while (again.body.error?.code === 'REQUEST_IN_PROGRESS') again = await send()
      expectStatus(again, status)
      await service.quiet()
      state.accounts[account] = next
      await check(state, service)
    },
  )

/** Moves of the same items at the same time all succeed, and one is the last. */
const movedAtOnce = (account: number, wanted: string[]): Command =>
  command(
    `${MOVES_AT_ONCE} moves at once of ${wanted.join(' ')} of account ${account}`,
    async (state, service) => {
      const before = state.accounts[account]!
      const names = present(before, wanted)
      const to = ['x', 'y'].map((collection) => move(before, { names, collection }))
      const answers = await Promise.all(
        Array.from({ length: MOVES_AT_ONCE }, (_, n) => service.move(account, names, 'xy'[n % 2]!)),
      )
      for (const answer of answers) expectStatus(answer, to[0]!.status)
      await settle(
        state,
        service,
        account,
        to.map(({ next }) => next),
      )
      await check(state, service)
    },
  )

/** Some of the requests are sent twice, under a key, which all have where the process that is asked may crash. */
function withRepeats(requests: readonly Request[], picks: readonly number[], { crash }: Weather): Request[] {
  const repeated = new Set(picks.map((pick) => pick % requests.length))
  const keyed = requests.map((one, place) =>
    crash || repeated.has(place) ? { ...one, key: `request-${place}` } : one,
  )
  return [...keyed, ...keyed.filter((_, place) => repeated.has(place))]
}

const together = (requests: Request[], weather: Weather): Command =>
  command(
    `at once, ${JSON.stringify(weather)}: ${requests.map(described).join('; ')}`,
    async (state, service) => {
      if (weather.leap < 0) state.twiceUntil = Math.max(state.twiceUntil, service.world.now + NEARLY_MS)
      const keyed = requests.map((one) =>
        one.key === null ? one : { ...one, key: `${one.key}-${keysMade}` },
      )
      keysMade++
      await atOnce(state.accounts, keyed, weather, service)
      forgetLater(state, service)
      await check(state, service)
    },
  )

/** Two requests about one item that is there, one soon after the other. */
const oneAfterTheOther = (name: string, requests: Request[], weather: Weather): Command => {
  const both = together(requests, weather)
  return command(`with ${name}: ${String(both)}`, async (state, service) => {
    const [account] = state.accounts
    const { status, next } = upload(account!, { name, collection: null, overwrite: true })
    expectStatus(await service.upload(0, { name, collection: null, overwrite: true }), status)
    state.accounts[0] = next
    await check(state, service)
    await both.run(state, service)
  })
}

/** What is later than the clock by now is not asked for. */
function forgetLater(state: State, service: Service): void {
  state.past = state.past.filter(({ at }) => at < service.world.now)
}

/** The clock is set. What was there at moments that come twice is not asked for. */
const leap = (hours: number): Command =>
  command(`the clock leaps by ${hours} hours`, async (state, service) => {
    state.twiceUntil = Math.max(state.twiceUntil, hours < 0 ? service.world.now : 0)
    service.leap(hours)
    forgetLater(state, service)
    await check(state, service)
  })

/** An upload while the clock is wrong, which is set right after it. */
const aheadBy = (hours: number, account: number, name: string): Command =>
  command(
    `upload of ${name} of account ${account}, the clock ${hours} hours ahead`,
    async (state, service) => {
      const asked = { name, collection: null, overwrite: false }
      const { status, next } = upload(state.accounts[account]!, asked)
      service.leap(hours)
      expectStatus(await service.upload(account, asked), status)
      state.twiceUntil = Math.max(state.twiceUntil, service.world.now)
      service.leap(-hours)
      state.accounts[account] = next
      await check(state, service)
    },
  )

/** An account is closed while it uploads: none of its bytes are left, and its key works no more. */
const closing = (names: string[], weather: Weather): Command =>
  command(
    `closing of an account that uploads ${names.join(' ')}, ${JSON.stringify(weather)}`,
    async (_, service) => {
      const account = await service.openAnother()
      await under(
        service,
        { ...weather, failing: 0, diskFailing: 0, leap: 0, broken: null, crash: null },
        () =>
          Promise.all([
            ...names.map((name) => service.upload(account, { name, collection: null })),
            service.closeAccount(account),
          ]),
      )
      await service.quiet()
      expect(await service.ingestsOf(account)).toEqual(new Map())
      expectStatus(await service.client(account).request('GET', '/v1/usage'), 401)
    },
  )

const then = (pick: number): Command =>
  command(`look at the past, ${pick}`, async ({ past }, service) => {
    if (past.length === 0) return
    const { account, at, held } = past[pick % past.length]!
    const listed = await service.listedAt(account, at)
    expect(inOrder([...listed.keys()]), `as of ${at}`).toEqual(inOrder([...held.keys()]))
    for (const [id, collection] of listed)
      if (collection !== null) expect([id, collection], `as of ${at}`).toEqual([id, held.get(id)])
  })

const service = (text: string, work: (service: Service) => unknown): Command =>
  command(text, async (state, real) => {
    await work(real)
    await check(state, real)
  })

/**
 * Of several processes the last may crash while requests run at once. The clock of none leaps: by its time the others tell a
 * request that died.
 */
export interface Sequences {
  accounts: number
  maxCommands: number
  processes: number
}

/** Sequences of what clients, the operator, time and the machine do. */
export function sequences({ accounts, maxCommands, processes }: Sequences) {
  const isAlone = processes === 1
  const alone = <T>(...some: T[]): T[] => (isAlone ? some : [])
  const account = fc.nat({ max: accounts - 1 })
  // Of several processes one is to meet what it knows of from before.
  const name = fc.constantFrom('one', 'two', ...alone('three', 'four', 'five'))
  const broken = fc.constantFrom('broken one', 'broken two', 'broken three')
  const file = fc.oneof({ arbitrary: name, weight: 3 }, { arbitrary: broken, weight: 1 })
  const names = fc.uniqueArray(name, { minLength: 1, maxLength: 4 })
  const collection = fc.constantFrom('x', 'y')
  const place = fc.option(collection)
  const point = fc.record({
    // An upload's own points are the first twelve.
    at: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 60 })),
    when: fc.constantFrom('before' as const, 'after' as const),
  })
  const outage = fc
    .tuple(point, fc.record({ months: fc.nat({ max: 2 }), without: fc.boolean() }))
    .map(([at, then]) => ({ ...at, ...then }))
  // At the third a batch gives up the file that was worked on each time.
  const crash = fc.oneof(
    { arbitrary: fc.constant<Outage[]>([]), weight: 3 },
    ...alone({ arbitrary: fc.array(outage, { minLength: 1, maxLength: 2 }), weight: 2 }),
  )
  const missing = fc.oneof(
    { arbitrary: fc.constant<string[]>([]), weight: 5 },
    { arbitrary: fc.constant(['broken one']), weight: 1 },
  )
  const files = fc.array(file, { minLength: 1, maxLength: 5 })
  const overwrite = fc.boolean()
  const receipt = fc.boolean()
  // Few: requests at once are to meet.
  const metWhole = fc.constantFrom('one', 'two')
  const met = fc.oneof({ arbitrary: metWhole, weight: 5 }, { arbitrary: broken, weight: 1 })
  const request: fc.Arbitrary<Request> = fc
    .tuple(
      fc.oneof({ arbitrary: fc.constant(0), weight: 4 }, { arbitrary: account, weight: 1 }),
      fc.oneof(
        {
          arbitrary: fc.record({
            kind: fc.constant('upload' as const),
            name: met,
            collection: place,
            overwrite,
          }),
          weight: 4,
        },
        {
          arbitrary: fc.record({
            kind: fc.constant('batch' as const),
            names: fc.array(met, { minLength: 1, maxLength: 5 }),
            collection: place,
            overwrite,
          }),
          weight: 2,
        },
        {
          arbitrary: fc.record({
            kind: fc.constant('move' as const),
            names: fc.uniqueArray(metWhole, { minLength: 1 }),
            collection,
          }),
          weight: 1,
        },
        {
          arbitrary: fc.record({ kind: fc.constant('remove' as const), name: metWhole, receipt }),
          weight: 3,
        },
        {
          arbitrary: fc.record({ kind: fc.constant('remove collection' as const), collection, receipt }),
          weight: 2,
        },
        { arbitrary: fc.record({ kind: fc.constantFrom('advanced' as const, 'ask' as const) }), weight: 1 },
        { arbitrary: fc.record({ kind: fc.constant('similar' as const), name: metWhole }), weight: 1 },
      ),
    )
    .map(([account, asked]) => ({ account, key: null, ...asked }))
  const weather = fc.record({
    slowMs: fc.constantFrom(0, 2, 12),
    // Of several processes one ends what another's late append has left once that counts as dead, which takes seconds.
    failing: isAlone ? fc.constantFrom(0, 0, 3, 15) : fc.constantFrom(0, 0, 0, 0, 0, 3),
    lagMs: fc.constantFrom(0, 0, 15, 80),
    timingOut: fc.constantFrom(0, 0, 0, 40),
    diskSlowMs: fc.constantFrom(0, 0, 40),
    diskFailing: fc.constantFrom(0, 0, 0, 50),
    leap: fc.constantFrom(0, ...alone(0, 0, -2, 31 * 24, 70 * 24)),
    broken: fc.oneof({ arbitrary: fc.constant(null), weight: 5 }, { arbitrary: account, weight: 1 }),
    // What a process has left that crashed is ended once its requests count as dead, which takes seconds.
    crash: fc.oneof(
      { arbitrary: fc.constant(null), weight: 5 },
      ...(isAlone ? [] : [{ arbitrary: point, weight: 1 }]),
    ),
    spreadMs: fc.constantFrom(0, 10, 60),
    lastsMs: fc.constantFrom(0, 0, 100),
    seed: fc.nat(),
  })
  const aboutOne: fc.Arbitrary<Request> = fc
    .oneof(
      {
        arbitrary: fc.record({
          kind: fc.constant('upload' as const),
          collection: place,
          overwrite: fc.constant(true),
        }),
        weight: 3,
      },
      { arbitrary: fc.record({ kind: fc.constant('remove' as const), receipt }), weight: 3 },
      {
        arbitrary: fc.record({ kind: fc.constant('remove collection' as const), collection, receipt }),
        weight: 1,
      },
    )
    .map((asked) => ({ account: 0, key: null, name: 'one', ...asked }))
  return fc.commands<State, Service, false>(
    [
      ...Array.from({ length: 4 }, () =>
        fc.tuple(aboutOne, aboutOne, fc.nat({ max: 250 }), weather).map(([first, second, spreadMs, how]) =>
          oneAfterTheOther('one', withRepeats([first, second], [], how), {
            ...how,
            ...CALM,
            spreadMs,
          }),
        ),
      ),
      ...Array.from({ length: 4 }, () =>
        fc
          .tuple(
            fc.array(request, { minLength: 2, maxLength: 6 }),
            fc.array(fc.nat(), { maxLength: 2 }),
            weather,
          )
          .map(([some, repeated, how]) => together(withRepeats(some, repeated, how), how)),
      ),
      fc.tuple(account, crash, file, place, fc.boolean()).map(([of, at, name, collection, overwrite]) => {
        const asked = { name, collection, overwrite }
        const how = overwrite ? 'overwriting upload' : 'upload'
        return act(`${how} of ${name} into ${collection ?? 'no collection'}`, of, at, (model) => [
          upload(model, asked),
          (service) => service.upload(of, asked),
        ])
      }),
      fc
        .tuple(account, crash, files, place)
        .map(([of, at, names, collection]) =>
          act(`batch of ${names.join(' ')} into ${collection ?? 'no collection'}`, of, at, (model) => [
            batch(model, { names, collection }),
            (service) => service.batch(of, { names, collection }),
          ]),
        ),
      fc.tuple(account, files, place).map(([of, some, collection]) => cancelled(of, some, collection)),
      fc
        .tuple(account, file, fc.nat({ max: 80 }), overwrite, weather)
        .map(([of, some, afterMs, again, how]) =>
          leaving(of, some, afterMs, again, {
            ...how,
            ...CALM,
            crash: null,
            lastsMs: 0,
          }),
        ),
      fc.tuple(account, crash, names, collection, missing).map(([of, at, wanted, collection, missing]) =>
        act(`move of ${[...wanted, ...missing].join(' ')} to ${collection}`, of, at, (model) => {
          const names = [...present(model, wanted), ...missing]
          return [move(model, { names, collection }), (service) => service.move(of, names, collection)]
        }),
      ),
      fc.tuple(account, names).map(([of, wanted]) => movedAtOnce(of, wanted)),
      fc.tuple(account, crash, names).map(([of, at, wanted]) =>
        act(`deletion of the first there of ${wanted.join(' ')}`, of, at, (model) => {
          const [name] = present(model, wanted) as [string]
          return [remove(model, name), (service) => service.remove(of, name)]
        }),
      ),
      fc
        .tuple(account, crash, collection)
        .map(([of, at, collection]) =>
          act(`deletion of collection ${collection}`, of, at, (model) => [
            removeCollection(model, collection),
            (service) => service.removeCollection(of, collection),
          ]),
        ),
      fc.nat({ max: 1_000 }).map(then),
      fc.constant(service('restart', (real) => real.restart())),
      account.map((of) =>
        service(`restart without the storage of account ${of}`, (real) => real.restartWithout(of)),
      ),
      ...alone(
        fc.constant(service('next month', (real) => real.nextMonth())),
        fc.constantFrom(-26, -2, 2, 30).map(leap),
        fc
          .tuple(account, name, fc.constantFrom(30, 24 * 365))
          .map(([of, some, hours]) => aheadBy(hours, of, some)),
      ),
      fc
        .tuple(fc.array(name, { minLength: 1, maxLength: 3 }), weather)
        .map(([some, how]) => closing(some, how)),
      fc
        .constantFrom('catalog' as const, 'usage' as const, 'history' as const)
        .map((name) => service(`rebuild of ${name}`, (real) => real.rebuild(name))),
    ],
    { maxCommands, size: 'max' },
  )
}
