import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { CatalogChange, PositionedChange, ReadModelWriter } from '@medialog/application/ports'
import type { Uuid } from '@medialog/kernel'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { uuid } from '../../testing/items.ts'
import { markedPut, marksIn, marksOf } from '../../testing/marked-items.ts'
import { databaseFiles } from '../database-files.ts'
import { openDatabaseSource } from '../database-source.ts'
import { openDatabaseStore } from '../database-store.ts'
import { catalogDefinition } from './definition.ts'
import { countTombstones } from './tombstones.ts'

let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'medialog-erasing-'))))
afterEach(() => rmSync(folder, { recursive: true }))

/** Numbers from 0 to 1 that depend on the seed alone: mulberry32. */
function randomOf(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

interface Living {
  ingest: number
  media: string
  revision: number
  collection: number
  chunks: number
}

/** A library that items come to, move in, change in and leave, told as the changes of its catalog. */
class Library {
  readonly living: Living[] = []
  ingests = 0
  readonly #random: () => number
  readonly #generations = new Map<number, number>()

  constructor(seed: number) {
    this.#random = randomOf(seed)
  }

  *round(): Generator<CatalogChange> {
    for (let n = 0; n < 150; n++) {
      const what = this.#random()
      if (what < 0.1) yield this.#move()
      else if (what < 0.25) yield this.#replace()
      else if (what < 0.35 && this.living.length > 0) yield this.#reembed()
      else yield this.#ingest({ media: `media ${this.ingests}`, revision: 1, collection: this.#below(6) })
    }
    if (this.#random() < 0.3) yield* this.#endCollection(this.#below(6))
    for (let left = this.living.length * 0.6; left > 0; left--)
      yield this.#remove(this.#below(this.living.length))
  }

  #below = (limit: number): number => Math.floor(this.#random() * limit)
  #placeOf = (collection: number) => ({
    collection: `collection-${collection}`,
    generation: this.#generations.get(collection) ?? 0,
  })

  #ingest(item: Pick<Living, 'media' | 'revision' | 'collection'>): CatalogChange & { type: 'PutItem' } {
    const ingest = this.ingests++
    const longest = this.#random() < 0.1 ? 12_000 : 900
    const sizes = Array.from({ length: 1 + this.#below(5) }, () => this.#below(longest))
    this.living.push({ ...item, ingest, chunks: sizes.length })
    const place = this.#placeOf(item.collection)
    return markedPut(ingest, { ...item, ...place, ingest: `ingest ${ingest}` }, sizes)
  }

  #replace(): CatalogChange {
    if (this.living.length === 0) return this.#ingest({ media: 'first', revision: 1, collection: 0 })
    const [before] = this.living.splice(this.#below(this.living.length), 1) as [Living]
    const { generation, ...put } = this.#ingest({ ...before, revision: before.revision + 1 })
    const collection = this.#random() < 0.5 ? { id: put.item.collection, generation } : null
    return { ...put, type: 'ReplaceItem', collection, previousIngestId: ingestId(before) }
  }

  /** Vectors of another length, of the same ingest. */
  #reembed(): CatalogChange {
    const item = this.living[this.#below(this.living.length)]!
    const sizes = Array.from({ length: item.chunks }, () => 1)
    const { vectors } = markedPut(item.ingest, { media: item.media, model: 'other' }, sizes, 48)
    const ids = { accountId: uuid('account'), mediaId: uuid(item.media), ingestId: ingestId(item) }
    return { type: 'ReplaceVectors', ...ids, revision: ++item.revision, vectors }
  }

  #move(): CatalogChange {
    const moved = this.living.filter(() => this.#random() < 0.1)
    const collection = this.#below(6)
    for (const item of moved) item.collection = collection
    const mediaIds = moved.map(({ media }) => uuid(media))
    return { type: 'MoveItems', accountId: uuid('account'), mediaIds, ...this.#placeOf(collection) }
  }

  *#endCollection(collection: number): Generator<CatalogChange> {
    const place = this.#placeOf(collection)
    this.#generations.set(collection, place.generation + 1)
    yield { type: 'EndCollection', accountId: uuid('account'), ...place, at: 1 }
    for (const item of this.living.filter((item) => item.collection === collection))
      yield this.#remove(this.living.indexOf(item))
  }

  #remove(index: number): CatalogChange {
    const [item] = this.living.splice(index, 1) as [Living]
    const { media, revision } = item
    const ids = { accountId: uuid('account'), mediaId: uuid(media), ingestId: ingestId(item) }
    return { type: 'RemoveItem', ...ids, revision: revision + 1, at: 1 }
  }
}

const ingestId = ({ ingest }: Living): Uuid => uuid(`ingest ${ingest}`)

test.each([1, 2, 3, 4])('of items removed among others no file holds a byte (%i)', async (seed) => {
  const writer = await openDatabaseStore({ folder, definition: catalogDefinition }).open()
  const library = new Library(seed)
  let position = 0
  for (let round = 0; round < 8; round++) {
    const changes = Array.from(library.round(), (change): PositionedChange<CatalogChange> => {
      return { change, position: ++position }
    })
    while (changes.length > 0) {
      const batch = changes.splice(0, 40)
      await writer.applyBatch(batch, batch.at(-1)!.position)
    }
    await writer.flushErased()
  }
  const found = marksIn(folder, library.ingests)
  await writer.close()
  const living = new Map(library.living.map(({ ingest, chunks }) => [ingest, marksOf(ingest, chunks)]))
  expect(library.ingests - living.size).toBeGreaterThan(800)
  const marks = (of: (ingest: number) => boolean) =>
    new Map(
      [...found].filter(([ingest]) => of(ingest)).map(([ingest, wheres]) => [ingest, [...wheres].sort()]),
    )
  expect(marks((ingest) => !living.has(ingest))).toEqual(new Map())
  expect(marks((ingest) => living.has(ingest))).toEqual(living)
})

describe('a copy without the room of removed items', () => {
  const size = (path: string): number => statSync(path).size
  const digestsOf = async (writer: ReadModelWriter<CatalogChange>) => {
    const snapshot = await writer.snapshot()
    const digests = await snapshot.digests()
    await snapshot.close()
    return digests
  }

  test.each([5, 6])('has all that is there, and no byte of what is not (%i)', async (seed) => {
    const store = openDatabaseStore({ folder, definition: catalogDefinition })
    const writer = await store.open()
    const library = new Library(seed)
    let position = 0
    const positioned = (change: CatalogChange): PositionedChange<CatalogChange> => ({
      change,
      position: ++position,
    })
    const round = async (): Promise<void> => {
      const changes = Array.from(library.round(), positioned)
      await writer.applyBatch(changes, position)
    }
    while (!writer.isBloated) await round()

    const build = await store.build()
    const copied = build.copy!(new AbortController().signal)
    // Meanwhile the one in service goes on.
    const news = Array.from(library.round(), positioned)
    await writer.applyBatch(news, position)
    await build.eraseAhead(news)
    await copied
    expect(build.position).toBeLessThan(position)
    await build.applyBatch(news, position)
    await Promise.all([writer.flushErased(), build.flushErased()])
    expect([build.position, await digestsOf(build)]).toEqual([position, await digestsOf(writer)])
    expect(build.isBloated).toBe(false)

    const files = databaseFiles(folder, catalogDefinition.name)
    const [former, copy] = [files.path(writer.epoch), files.path(build.epoch)]
    expect(size(copy)).toBeLessThan((size(former) * 3) / 4)
    await writer.close()
    await build.promote()
    const living = new Set(library.living.map(({ ingest }) => ingest))
    const found = marksIn(folder, library.ingests)
    expect([...found.keys()].filter((ingest) => !living.has(ingest))).toEqual([])
    expect(found.size).toBe(living.size)
    // Items that come go on behind the keys that there were.
    await build.applyBatch([positioned(markedPut(library.ingests, { media: 'late' }, [900]))], position)
    await build.close()
  })

  test('that is stopped leaves nothing', async () => {
    const store = openDatabaseStore({ folder, definition: catalogDefinition })
    const writer = await store.open()
    const library = new Library(7)
    const changes = Array.from(library.round(), (change, index) => ({ change, position: index + 1 }))
    await writer.applyBatch(changes, changes.length)
    const before = readdirSync(folder)
    const build = await store.build()
    const stop = new AbortController()
    const copied = build.copy!(stop.signal)
    stop.abort(new Error('enough'))
    await expect(copied).rejects.toThrow('enough')
    await build.discard()
    expect(readdirSync(folder)).toEqual(before)
    await writer.close()
  })
})

test('what removed items still take is counted, until the catalog is rebuilt', async () => {
  const store = openDatabaseStore({ folder, definition: catalogDefinition })
  const writer = await store.open()
  const source = openDatabaseSource(folder, catalogDefinition.name)
  const ids = { accountId: uuid('account'), mediaId: uuid('a'), ingestId: uuid('a/1') }
  await writer.applyBatch([{ position: 1, change: markedPut(1, { media: 'a' }, [5_000]) }], 1)
  expect(countTombstones(source)).toEqual({ items: 0, bytes: 0 })
  await writer.applyBatch([{ position: 2, change: { type: 'RemoveItem', ...ids, revision: 2, at: 1 } }], 2)
  const { items, bytes } = countTombstones(source)
  expect(items).toBe(1)
  expect(bytes).toBeGreaterThan(5_000 + 15_000)
  await writer.close()
  const build = await store.build()
  await build.promote()
  await new Promise((resolve) => setImmediate(resolve))
  expect(countTombstones(source)).toEqual({ items: 0, bytes: 0 })
  source.close()
  await build.close()
})

test('a build in which an item was erased ahead takes no vectors of it any more', async () => {
  const build = await openDatabaseStore({ folder, definition: catalogDefinition }).build()
  const ids = { accountId: uuid('account'), mediaId: uuid('a'), ingestId: uuid('a/1') }
  await build.applyBatch([{ position: 1, change: markedPut(1, { media: 'a' }, [900]) }], 1)
  await build.eraseAhead([{ position: 9, change: { type: 'RemoveItem', ...ids, revision: 3, at: 1 } }])
  // Its vectors were loaded before it was deleted.
  const { vectors } = markedPut(1, { media: 'a', model: 'other' }, [900])
  await build.applyBatch(
    [{ position: 2, change: { type: 'ReplaceVectors', ...ids, revision: 2, vectors } }],
    2,
  )
  await build.flushErased()
  expect(marksIn(folder, 2)).toEqual(new Map())
  await build.discard()
})

test('names of collections are erased whatever other collections are called', async () => {
  const writer = await openDatabaseStore({ folder, definition: catalogDefinition }).open()
  const accountId = uuid('account')
  // Called by numbers, as by years, which are keys of other rows.
  const names = ['11', ...Array.from({ length: 20 }, (_, n) => String(n + 1)), 'quarterly-figures']
  const moves = names.map((collection, n): PositionedChange<CatalogChange> => ({
    position: n + 1,
    change: { type: 'MoveItems', accountId, mediaIds: [], collection, generation: 0 },
  }))
  await writer.applyBatch(moves, names.length)
  const position = names.length + 1
  await writer.applyBatch([{ position, change: { type: 'EraseNames', accountId } }], position)
  await writer.flushErased()
  const files = databaseFiles(folder, catalogDefinition.name)
  const database = new DatabaseSync(files.path(files.current()!), { readOnly: true })
  const left = database.prepare('SELECT name FROM collection').all()
  database.close()
  await writer.close()
  expect(left.filter(({ name }) => names.includes(name as string))).toEqual([])
  expect(left).toHaveLength(new Set(names).size)
})
