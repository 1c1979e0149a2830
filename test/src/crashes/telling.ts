import { readdir } from 'node:fs/promises'
import { usd, type Uuid } from '@medialog/kernel'
import { expect } from 'vitest'
import { Caller, CREDIT, openCaller } from './caller.ts'
import { expectSound } from './ending.ts'
import type { Death } from './points.ts'
import type { Story } from './stories.ts'
import { createWorld, type Carrier, type Life, type World } from './world.ts'

const ITEM = usd('0.04')
/** Told in one world: more would have to be read again by each recovery, fewer make more worlds. */
const TOLD_AT_ONCE = 16

/**
 * Tells what `next` answers until that is null, in one world after the other, and what must hold of each world in its end.
 * `next` hears how many lives of the last story ended.
 */
export async function tellAll(
  next: (died: number) => { story: Story; deaths: readonly Death[] } | null,
  carrier?: Carrier,
): Promise<void> {
  let telling = next(0)
  while (telling) {
    const world = await createWorld(carrier)
    try {
      const erased = new Set<string>()
      for (let told = 0; telling && told < TOLD_AT_ONCE; told++) {
        const { story, deaths } = telling
        telling = next(await tell(story, world, deaths))
        for (const word of story.erased ?? []) erased.add(word)
      }
      await expectSound(world, [...erased])
    } finally {
      await world.close()
    }
  }
}

/**
 * Tells the story in a world. Its lives end at `deaths`, one after the other; the one after the last goes on until nothing
 * is left to be done, and what must hold is compared. Answers how many lives ended: fewer than told where one got through.
 */
export async function tell(story: Story, world: World, deaths: readonly Death[]): Promise<number> {
  const first = await world.begin()
  const { accountId } = await openCaller(first)
  await story.before?.(new Caller(first, accountId))
  await first.quiet()

  const notes = new Map<string, Uuid>()
  let answered = 0

  async function live(life: Life): Promise<boolean> {
    const caller = new Caller(life, accountId)
    const work = async () => {
      for (; answered < story.steps.length; answered++) await story.steps[answered]!(caller, { world, notes })
      await life.quiet()
    }
    if (life.isAlive && (await life.orDies(work()))) {
      life.points.disarm()
      await compare(story, world, life, caller)
      await life.end()
      return true
    }
    await life.end()
    return false
  }

  for (const [died, death] of deaths.entries()) {
    if (died === 0) first.points.arm(death)
    if (await live(died === 0 ? first : await world.begin(death))) return died
  }
  expect(await live(await world.begin())).toBe(true)
  return deaths.length
}

async function compare(story: Story, world: World, life: Life, caller: Caller): Promise<void> {
  const { items: expected, besides = 0n, credited = 0n, closed = false } = story
  const items = await caller.items()
  if (closed) expect(items).toEqual([])
  else if (expected) expect(items.map(({ filename }) => filename).toSorted()).toEqual(expected.toSorted())

  const books = await caller.books()
  expect(books.open).toBe(0)
  if (!closed) {
    expect(books.spent).toBe(BigInt(items.length) * ITEM + besides)
    expect(await caller.billed()).toBe(books.spent)
  }
  expect(books.credited).toBe(CREDIT + credited)
  expect(books.balance).toBe(books.credited - books.spent)
  const { report } = await life.application.operator.statement(caller.accountId)
  expect(report.proof.filter(({ holds }) => !holds)).toEqual([])
  expect(report.closing).toBe(books.balance)

  // Files of what is there, and of nothing else.
  expect(await readdir(world.staging)).toEqual([])
  const folders = await ingestsOf(life, caller.accountId)
  expect(folders).toEqual(items.map(({ ingestId }) => ingestId).toSorted())
}

async function ingestsOf({ artifacts }: Life, accountId: string): Promise<string[]> {
  const ingests: string[] = []
  for await (const ingest of artifacts.list())
    if (ingest.accountId === accountId) ingests.push(ingest.ingestId)
  return ingests.toSorted()
}
