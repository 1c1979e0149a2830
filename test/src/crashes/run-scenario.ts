import type { IngestRef } from '@medialog/application/ports'
import type { Uuid } from '@medialog/kernel'
import { expect } from 'vitest'
import { Caller, CREDIT, ITEM, openCaller } from './caller.ts'
import { expectSound } from './expect-sound.ts'
import type { Crash } from './points.ts'
import type { Scenario } from './scenarios.ts'
import { createWorld, type Carrier, type Instance, type World } from './world.ts'

/** More points than any scenario has. */
const MOST_POINTS = 500
/** With more, each recovery and check takes longer; with fewer, more worlds are made. */
const SCENARIOS_PER_WORLD = 16

/**
 * Runs the scenarios that `next` returns until it returns null, and checks each world after its last scenario. `next`
 * receives how many instances of the previous scenario crashed.
 */
export async function runAll(
  next: (crashed: number) => { scenario: Scenario; crashes: readonly Crash[] } | null,
  carrier?: Carrier,
): Promise<void> {
  let planned = next(0)
  while (planned) {
    const world = await createWorld(carrier)
    try {
      const erased = new Set<string>()
      for (let count = 0; planned && count < SCENARIOS_PER_WORLD; count++) {
        const { scenario, crashes } = planned
        const crashed = await runScenario(scenario, world, crashes).catch((cause: unknown) => {
          throw new Error(`${scenario.name}, crashes ${JSON.stringify(crashes)}`, { cause })
        })
        planned = next(crashed)
        for (const word of scenario.erased ?? []) erased.add(word)
      }
      await expectSound(world, [...erased])
    } finally {
      await world.close()
    }
  }
}

export interface Walk {
  /** Crashes before the one that walks. */
  first?: readonly Crash[]
  /** The first point that is tried. */
  from?: number
  /** From one point that is tried to the next. */
  stride?: number
  carrier?: Carrier
}

/**
 * Runs the scenario again and again, crashed after the point `from`, then `stride` points later, until it has no such
 * point. Resolves with that point's number.
 */
export async function runAtEveryPoint(
  scenario: Scenario,
  { first = [], from = 1, stride = 1, carrier }: Walk = {},
): Promise<number> {
  let at = from - stride
  await runAll((crashed) => {
    if (at > 0 && crashed <= first.length) return null
    expect((at += stride)).toBeLessThan(MOST_POINTS)
    return { scenario, crashes: [...first, { at, when: 'after' }] }
  }, carrier)
  return at
}

/**
 * Runs the scenario in a world. One instance after the other crashes as `crashes` says; the instance after the last one
 * runs until no work is left, and the outcome is compared with what the scenario expects. Resolves with the number of
 * crashes, which is smaller than planned when an instance finished the work before its point came.
 */
export async function runScenario(
  scenario: Scenario,
  world: World,
  crashes: readonly Crash[],
): Promise<number> {
  world.hasWebhooks ||= scenario.webhooks ?? false
  const first = await world.begin()
  const { accountId } = await openCaller(first)
  await scenario.before?.(new Caller(first, accountId), { world })
  await first.quiet()

  const notes = new Map<string, Uuid>()
  let answered = 0

  async function live(instance: Instance): Promise<boolean> {
    const caller = new Caller(instance, accountId)
    const work = async () => {
      for (; answered < scenario.steps.length; answered++)
        await scenario.steps[answered]!(caller, { world, notes })
      await instance.quiet()
    }
    if (instance.isAlive && (await instance.orCrashes(work()))) {
      instance.points.disarm()
      await compare(scenario, instance, caller)
      await instance.end()
      return true
    }
    await instance.end()
    return false
  }

  for (const [crashed, crash] of crashes.entries()) {
    if (crashed === 0) first.points.arm(crash)
    if (await live(crashed === 0 ? first : await world.begin(crash))) return crashed
  }
  expect(await live(await world.begin())).toBe(true)
  return crashes.length
}

async function compare(scenario: Scenario, instance: Instance, caller: Caller): Promise<void> {
  const { items: expected, besides = 0n, credited = 0n, model, closed = false } = scenario
  const items = await caller.items()
  if (closed) expect(items).toEqual([])
  else if (expected) {
    const filenames = items.map(({ filename }) => filename).toSorted()
    const why = filenames.length === expected.length ? '' : await failuresIn(instance)
    expect(filenames, why).toEqual(expected.toSorted())
  }

  const books = await caller.books()
  expect(books.open).toBe(0)
  if (!closed) {
    expect(books.spent).toBe(BigInt(items.length) * ITEM + besides)
    expect(await caller.billed()).toBe(books.spent)
  }
  expect(books.credited).toBe(CREDIT + credited)
  expect(books.balance).toBe(books.credited - books.spent)
  const { report } = await instance.application.audit.statement(caller.accountId)
  expect(report.proof.filter(({ holds }) => !holds)).toEqual([])
  expect(report.closing).toBe(books.balance)

  if (model !== undefined) expect(await instance.catalog.models(caller.accountId)).toEqual([model])
  // The files are those of the items, and no others.
  const kept = await Promise.all(items.map((item) => filesOf(instance, item)))
  expect(await filesIn(instance, caller.accountId)).toEqual(kept.flat().toSorted())
}

/** Why jobs failed and claims were released, by the log. */
async function failuresIn({ verifying: { eventStore } }: Instance): Promise<string> {
  const failures: string[] = []
  for await (const { position, type, data } of eventStore.readAll(0))
    if (/^(?:JobFailed|JobSkipped|IngestReleased)$/.test(type))
      failures.push(`${position} ${type} ${JSON.stringify(data)}`)
  return failures.join('\n')
}

/** What the log says that the item's ingest rests on, as `INGEST/NAME`. */
async function filesOf({ streams }: Instance, { mediaId, ingestId }: IngestRef): Promise<string[]> {
  const { selected: names } = await streams.load('media', mediaId, ({ item }) =>
    Object.keys(item?.artifacts ?? {}),
  )
  return names.map((name) => `${ingestId}/${name}`)
}

async function filesIn({ artifacts }: Instance, accountId: string): Promise<string[]> {
  const files: string[] = []
  for await (const ingest of artifacts.list())
    if (ingest.accountId === accountId)
      for (const name of await artifacts.names(ingest)) files.push(`${ingest.ingestId}/${name}`)
  return files.toSorted()
}
