import { placeIdOf } from '@medialog/application'
import type { History } from '@medialog/application/ports'
import type { LogPosition, RecordedEvent, Uuid } from '@medialog/kernel'
import type { ProjectedEngine } from '@medialog/read-model/testing/projected'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createHistory, idOf } from './history.ts'
import { createMemoryArtifacts } from './memory-artifacts.ts'
import { MemoryEventStore } from './memory-event-store.ts'

type Engine = ProjectedEngine<History> & { digest(): Promise<string> }

const KINDS = ['upload', 'overwrite', 'place', 'move', 'remove', 'end', 'erase'] as const
const COLLECTIONS = ['default', 'papers', 'trips']
const ACCOUNTS = [idOf('ann'), idOf('ben')] as const

interface Step {
  kind: (typeof KINDS)[number]
  account: number
  /** Which of the account's items. */
  item: number
  collection: number
  /** Whether the read model comes to it before anything else happens, which may erase it. */
  follows: boolean
}

const lives = fc.array(
  fc.record<Step>({
    kind: fc.constantFrom('upload', 'upload', 'upload', ...KINDS),
    account: fc.constantFrom(0, 0, 0, 0, 1),
    item: fc.nat(1),
    collection: fc.nat(2),
    follows: fc.boolean(),
  }),
  { minLength: 30, maxLength: 40 },
)

/** An item as readers see it; one whose collection was deleted is `dead`, and one that was erased is not there. */
interface Item {
  accountId: Uuid
  mediaId: Uuid
  ingestId: Uuid
  createdAt: number
  collection: string
  dead: boolean
}

interface Listing {
  at: number
  items: Item[]
}

/** That `storedAt` says later what a listing said then, whatever was erased since. Each run takes two new engines. */
export function describeStoredAtContract(
  name: string,
  factory: () => Promise<Engine>,
  numRuns: number,
): void {
  describe(`what was stored when: ${name}`, () => {
    test('is what was listed then, also of a log whose past was erased', async () => {
      await fc.assert(
        fc.asyncProperty(lives, async (steps) => {
          const log = new MemoryEventStore()
          const [inService, rebuilt] = await Promise.all([factory(), factory()])
          try {
            const listings = await live(log, steps, (events) => inService.apply(events))
            await rebuilt.apply(await eventsOf(log, 0))
            for (const listing of listings) await compare(inService.port, listing, listings)
            for (const listing of listings) await compare(rebuilt.port, listing, listings)
            expect(await rebuilt.digest()).toBe(await inService.digest())
          } finally {
            await Promise.all([inService.close(), rebuilt.close()])
          }
        }),
        { numRuns },
      )
    })
  })
}

async function eventsOf(log: MemoryEventStore, after: LogPosition): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = []
  for await (const event of log.readAll(after)) events.push(event)
  return events
}

/** Does what the steps say, as far as it can be done, and lists what is there after each. */
async function live(
  log: MemoryEventStore,
  steps: readonly Step[],
  apply: (events: RecordedEvent[]) => Promise<void>,
): Promise<Listing[]> {
  const history = createHistory(log, createMemoryArtifacts())
  const items = new Map<string, Item>()
  let applied = 0
  async function follow(): Promise<void> {
    const events = await eventsOf(log, applied)
    if (events.length > 0) await apply(events)
    applied = events.at(-1)?.position ?? applied
  }
  function list(): Listing {
    const shown = [...items.values()].filter(({ dead }) => !dead)
    return { at: history.clock.now(), items: shown.map((item) => ({ ...item })) }
  }
  for (const accountId of ACCOUNTS) await history.open(accountId)
  const listings = [list()]
  for (const step of steps) {
    await take(history, items, step)
    listings.push(list())
    if (step.follows) await follow()
  }
  await follow()
  return listings
}

async function take(
  history: ReturnType<typeof createHistory>,
  items: Map<string, Item>,
  { kind, account, item: number, collection: index }: Step,
): Promise<void> {
  const accountId = ACCOUNTS[account]!
  const name = `${number}.txt`
  const key = `${account}/${name}`
  const item = items.get(key)
  const collection = COLLECTIONS[index]!
  const erase = async ({ mediaId, ingestId }: Item): Promise<void> => {
    await history.erase(accountId, mediaId, ingestId)
    items.delete(key)
  }
  switch (kind) {
    case 'upload': {
      if (item && !item.dead) return
      const stored = await history.upload(accountId, name, 'text', collection, item?.dead)
      const { mediaId, ingestId, record } = stored
      items.set(key, { accountId, mediaId, ingestId, createdAt: record.at, collection, dead: false })
      return
    }
    case 'overwrite':
    case 'place': {
      if (!item || item.dead) return
      const isPlaced = kind === 'place'
      const { ingestId } = await history.overwrite(accountId, name, 'new', isPlaced ? collection : undefined)
      items.set(key, { ...item, ingestId, ...(isPlaced && { collection }) })
      return
    }
    case 'move':
      if (!item || item.dead) return
      await history.move(accountId, [item.mediaId], collection)
      items.set(key, { ...item, collection })
      return
    case 'remove':
      if (!item || item.dead) return
      await history.remove(accountId, item.mediaId, item.ingestId)
      // Whether the eraser comes to it before anything else happens.
      if (index > 0) return erase(item)
      items.delete(key)
      return
    case 'end':
      if (index === 0) return
      await history.endCollection(accountId, collection)
      for (const [at, other] of items)
        if (other.accountId === accountId && other.collection === collection)
          items.set(at, { ...other, dead: true })
      return
    case 'erase':
      if (!item?.dead) return
      await history.remove(accountId, item.mediaId, item.ingestId, 'collection-deleted')
      return erase(item)
  }
}

const isOfOneLife = (a: Item, b: Item): boolean => a.mediaId === b.mediaId && a.createdAt === b.createdAt

async function compare(port: History, { at, items }: Listing, all: readonly Listing[]): Promise<void> {
  for (const accountId of ACCOUNTS) {
    const listed = items
      .filter((item) => item.accountId === accountId)
      .sort((a, b) => b.createdAt - a.createdAt || (a.mediaId < b.mediaId ? -1 : 1))
    const stored = await port.storedAt(accountId, at, {}, { offset: 0, limit: 100 })
    const ids = listed.map(({ mediaId }) => mediaId)
    expect(stored.items.map(({ mediaId }) => mediaId)).toEqual(ids)
    expect(stored).toMatchObject({ total: ids.length, undated: 0 })
    for (const [index, item] of listed.entries()) {
      const { createdAt, erasedAt } = stored.items[index]!
      const isThere = (then: Listing): boolean => then.items.some((other) => isOfOneLife(item, other))
      const gone = all.findIndex((then) => then.at > at && !isThere(then))
      expect(createdAt).toBe(item.createdAt)
      if (gone < 0) expect(erasedAt).toBeNull()
      else expect(erasedAt! > all[gone - 1]!.at && erasedAt! <= all[gone]!.at).toBe(true)
    }
    for (const collection of COLLECTIONS) {
      const placeIds = Array.from({ length: 40 }, (_, generation) =>
        placeIdOf(accountId, { collection, generation }),
      )
      const { items: found, total } = await port.storedAt(
        accountId,
        at,
        { placeIds },
        { offset: 0, limit: 100 },
      )
      const there = listed.filter((item) => item.collection === collection).map(({ mediaId }) => mediaId)
      expect([found.map(({ mediaId }) => mediaId), total]).toEqual([there, there.length])
    }
  }
}
