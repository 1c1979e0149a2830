import {
  EngineUnavailable,
  ReadModelBroken,
  WriterReplaced,
  type CatalogChange,
  type PositionedChange,
} from '@medialog/application/ports'
import { describeWithEngine } from '@medialog/test/engines'
import { startProxy } from '@medialog/test/harness/proxy'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { testIndices } from '../../testing/elasticsearch-engine.ts'
import { histories } from '../../testing/history.ts'
import { put, replace, uuid, type ItemSketch } from '../../testing/items.ts'
import { openElasticsearchErasureLedger } from '../erasure-ledger.ts'
import { openElasticsearchCatalog } from './catalog.ts'
import { connectElasticsearch } from '../connection.ts'
import { contentId, itemId } from './documents.ts'
import { aliasOf } from '../indices.ts'
import { listPage } from './listing.ts'
import { openIndexStore, type IndexStore } from '../store.ts'
import type { IndexWriter } from '../writer.ts'
import { catalogIndex, catalogIndexOf } from './definition.ts'

vi.setConfig({ testTimeout: 240_000 })

const ACCOUNT = uuid('account')
const positioned = (...changes: CatalogChange[]): PositionedChange<CatalogChange>[] =>
  changes.map((change, index) => ({ position: index + 1, change }))
const removal = (media: string, revision = 2): CatalogChange => ({
  type: 'RemoveItem',
  accountId: ACCOUNT,
  mediaId: uuid(media),
  ingestId: uuid(`${media}/1`),
  revision,
  at: 1,
})

describeWithEngine('elasticsearch', 'the catalog as indices of Elasticsearch', (url) => {
  let indices: ReturnType<typeof testIndices>
  let store: IndexStore<CatalogChange>
  const opened: IndexWriter<CatalogChange>[] = []
  beforeEach(() => {
    indices = testIndices(url)
    store = openIndexStore({ ...indices, definition: catalogIndex })
  })
  afterEach(async () => {
    for (const writer of opened.splice(0)) await writer.close()
    await indices.remove()
  })

  const open = async (of = store): Promise<IndexWriter<CatalogChange>> => {
    const writer = await of.open()
    opened.push(writer)
    return writer
  }
  const build = async (): Promise<IndexWriter<CatalogChange>> => {
    const writer = await store.build()
    opened.push(writer)
    return writer
  }
  async function digestOf(writer: IndexWriter<CatalogChange>): Promise<string> {
    const snapshot = await writer.snapshot()
    try {
      return (await snapshot.digests()).get('catalog')!
    } finally {
      await snapshot.close()
    }
  }
  const catalog = () =>
    openElasticsearchCatalog({ ...indices, erasures: openElasticsearchErasureLedger(indices) })
  const apply = (writer: IndexWriter<CatalogChange>, ...changes: CatalogChange[]) =>
    writer.applyBatch(positioned(...changes), changes.length)
  const items = (...sketches: ItemSketch[]) => sketches.map((sketch) => put(sketch))

  test('goes on where it was, and passes over what it has', async () => {
    const writer = await open()
    await writer.applyBatch(positioned(...items({ media: 'a' })), 7, 'hash')
    await writer.close()
    const again = await open()
    expect(again.position).toBe(7)
    await again.applyBatch([{ position: 3, change: removal('a') }], 8)
    expect(await catalog().item(ACCOUNT, uuid('a'))).not.toBeNull()
    expect(await catalog().position()).toBe(8)
  })

  test('what an attempt wrote that failed before anybody saw it is seen once the batch is done again', async () => {
    const writer = await open()
    await apply(writer, ...items({ media: 'a' }))
    const bulk = indices.client.bulk.bind(indices.client) as (request: object) => Promise<unknown>
    const lost = vi.spyOn(indices.client, 'bulk').mockImplementationOnce(async (request: object) => {
      await bulk({ ...request, refresh: false })
      throw new EngineUnavailable('elasticsearch', 'The answer was lost.')
    })
    onTestFinished(() => lost.mockRestore())
    const batch = [{ position: 2, change: put({ media: 'b' }) }]
    await expect(writer.applyBatch(batch, 2)).rejects.toBeInstanceOf(EngineUnavailable)
    const total = async () => (await catalog().list(ACCOUNT, {}, { offset: 0, limit: 9 })).total
    expect(await total()).toBe(1)
    await writer.applyBatch(batch, 2)
    expect(await total()).toBe(2)
  })

  test('a batch is written and made visible by one request', async () => {
    const writer = await open()
    await apply(writer, ...items({ media: 'a' }))
    const bulk = vi.spyOn(indices.client, 'bulk')
    onTestFinished(() => bulk.mockRestore())
    const many = items(...Array.from({ length: 40 }, (_, at) => ({ media: `m${at}` })))
    await writer.applyBatch(
      many.map((change, at) => ({ position: at + 2, change })),
      50,
    )
    expect(bulk).toHaveBeenCalledOnce()
    expect((await catalog().list(ACCOUNT, {}, { offset: 0, limit: 9 })).total).toBe(41)
  })

  test('a rebuild has the number of shards that is set by then, and the same items', async () => {
    const writer = await open()
    await apply(writer, ...items({ media: 'a' }, { media: 'b', account: 'other' }))
    const set = openIndexStore({ ...indices, definition: catalogIndexOf(3) })
    const same = await open(set)
    const rebuilt = await set.build()
    opened.push(rebuilt)
    await apply(rebuilt, ...items({ media: 'a' }, { media: 'b', account: 'other' }))
    expect(await digestOf(rebuilt)).toBe(await digestOf(same))
    await rebuilt.promote()
    const [found] = Object.values(
      await indices.client.indices.getSettings({ index: aliasOf(indices.prefix, 'catalog') }),
    )
    expect(found!.settings!.index!.number_of_shards).toBe('3')
    expect(await catalog().item(ACCOUNT, uuid('a'))).not.toBeNull()
  })

  test('a rebuild makes the same, and readers see it once it is promoted', async () => {
    const history = items({ media: 'a' }, { media: 'b' }, { media: 'c', collection: 'x' })
    const writer = await open()
    await apply(writer, ...history, removal('a'))
    const other = await build()
    await other.applyBatch(positioned(...history), 3)
    expect(await digestOf(other)).not.toBe(await digestOf(writer))
    expect(await catalog().item(ACCOUNT, uuid('a'))).toBeNull()
    await other.applyBatch([{ position: 4, change: removal('a') }], 4)
    expect(await digestOf(other)).toBe(await digestOf(writer))
    expect(other.epoch).toBeGreaterThan(writer.epoch)
    await other.promote()
    expect((await catalog().list(ACCOUNT, {}, { offset: 0, limit: 9 })).total).toBe(2)
    const left = await indices.client.indices.get({ index: `${aliasOf(indices.prefix, 'catalog')}-*` })
    expect(Object.keys(left)).toHaveLength(1)
    await other.applyBatch([{ position: 5, change: removal('b') }], 5)
    expect((await catalog().list(ACCOUNT, {}, { offset: 0, limit: 9 })).total).toBe(1)
  })

  test('a snapshot stands still while the writer goes on', async () => {
    const writer = await open()
    await apply(writer, ...items({ media: 'a' }, { media: 'b' }))
    const before = await digestOf(writer)
    const snapshot = await writer.snapshot()
    await writer.applyBatch([{ position: 3, change: removal('a') }], 3)
    expect(snapshot.position).toBe(2)
    expect((await snapshot.digests()).get('catalog')).toBe(before)
    await snapshot.close()
    expect(await digestOf(writer)).not.toBe(before)
  })

  test('a writer whose place another took can move nothing any more', async () => {
    const stalled = await open()
    await apply(stalled, ...items({ media: 'a' }))
    const next = await open()
    await expect(stalled.applyBatch([{ position: 2, change: removal('a') }], 2)).rejects.toThrow(
      'Another process writes',
    )
    await expect(stalled.applyBatch([], 2)).rejects.toBeInstanceOf(EngineUnavailable)
    expect(await catalog().item(ACCOUNT, uuid('a'))).not.toBeNull()
    await next.applyBatch([{ position: 2, change: removal('a') }], 2)
    expect(await catalog().item(ACCOUNT, uuid('a'))).toBeNull()
  })

  test('nor does a build of its own go into service any more', async () => {
    const former = openIndexStore({ ...indices, definition: catalogIndex })
    await apply(await open(former), ...items({ media: 'a' }))
    const early = await former.build()
    const next = await open()
    // It was swept away.
    await expect(early.promote()).rejects.toBeInstanceOf(EngineUnavailable)
    const late = await former.build()
    await expect(late.promote()).rejects.toBeInstanceOf(WriterReplaced)
    await next.applyBatch([{ position: 2, change: put({ media: 'b' }) }], 2)
    const fresh = await build()
    await fresh.applyBatch(positioned(...items({ media: 'a' }, { media: 'b' })), 2)
    await fresh.promote()
    await expect(late.promote()).rejects.toBeInstanceOf(EngineUnavailable)
    expect((await catalog().list(ACCOUNT, {}, { offset: 0, limit: 9 })).total).toBe(2)
  })

  test('what was removed stays removed under late changes, and leaves no document behind', async () => {
    const writer = await open()
    const secret = put({ media: 'a', chunks: ['a', 'unspeakable'], topics: ['hush'] })
    await apply(writer, secret, put({ media: 'b' }), removal('a'))
    await writer.apply([{ position: 1, change: secret }])
    expect(await catalog().item(ACCOUNT, uuid('a'))).toBeNull()
    expect(writer.unwiped.removals).toBe(1)
    await writer.flushErased()
    expect(writer.unwiped).toEqual({ removals: 0, error: null })
    const index = aliasOf(indices.prefix, 'catalog')
    const { _all } = await indices.client.indices.stats({ index, metric: 'docs' })
    expect(_all.primaries?.docs?.deleted).toBe(0)
    const everything = await indices.client.search({ index, size: 100, query: { match_all: {} } })
    expect(JSON.stringify(everything)).not.toMatch(/unspeakable|hush/)
  })

  test('a build learns of erasures before it comes to them, and is the same in the end', async () => {
    const [first, second] = [put({ media: 'a', chunks: ['a', 'unspeakable'] }), put({ media: 'b' })]
    const replaced = replace({ media: 'b', ingest: 'b/2', revision: 2, chunks: ['b', 'other'] }, 'b/1')
    const move: CatalogChange = {
      type: 'MoveItems',
      accountId: ACCOUNT,
      mediaIds: [uuid('a'), uuid('b')],
      collection: 'x',
      generation: 0,
    }
    const history = positioned(first, second, move, replaced, removal('a', 3))
    const writer = await open()
    await writer.applyBatch(history, 5)
    const other = await build()
    await other.applyBatch(history.slice(0, 1), 1)
    await other.eraseAhead(history.slice(3))
    await other.applyBatch(history.slice(1, 3), 3)
    const index = `${aliasOf(indices.prefix, 'catalog')}-00000${other.epoch}`
    for (const media of ['a', 'b'].map(uuid))
      for (const id of [itemId(ACCOUNT, media), contentId(ACCOUNT, media)]) {
        const { _source } = await indices.client.get({ index, id, routing: ACCOUNT })
        expect(JSON.stringify(_source)).not.toMatch(/unspeakable|text of/)
      }
    await other.applyBatch(history.slice(3), 5)
    expect(await digestOf(other)).toBe(await digestOf(writer))
    expect((await catalog().item(ACCOUNT, uuid('b')))?.collection).toBe('x')
  })

  test('an index of another version, or a missing one, is rebuilt', async () => {
    const writer = await open()
    await apply(writer, ...items({ media: 'a' }))
    const { alias, index } = {
      alias: aliasOf(indices.prefix, 'catalog'),
      index: `${aliasOf(indices.prefix, 'catalog')}-000001`,
    }
    await indices.client.indices.putMapping({ index, _meta: { version: 0 } })
    await expect(store.open()).rejects.toBeInstanceOf(ReadModelBroken)
    await expect(catalog().item(ACCOUNT, uuid('a'))).rejects.toBeInstanceOf(EngineUnavailable)
    await expect(store.open()).rejects.toBeInstanceOf(ReadModelBroken)
    const other = await build()
    await apply(other, ...items({ media: 'a' }))
    await other.promote()
    expect(await catalog().item(ACCOUNT, uuid('a'))).not.toBeNull()
    await indices.client.indices.delete({ index: `${alias}-000002` })
    await expect(other.applyBatch([{ position: 2, change: removal('a') }], 2)).rejects.toBeInstanceOf(
      ReadModelBroken,
    )
    await expect(other.applyBatch([], 2)).rejects.toBeInstanceOf(ReadModelBroken)
  })

  test('lists pages that are farther away than one search may reach', async () => {
    const writer = await open()
    const sketches = Array.from({ length: 11 }, (_, at) => ({ media: `${at}`, createdAt: at }))
    await apply(writer, ...items(...sketches))
    const { client, prefix } = indices
    const page = (offset: number, limit: number, window?: number) =>
      listPage(client, aliasOf(prefix, 'catalog'), ACCOUNT, {}, { offset, limit }, window)
    const all = (await page(0, 100)).items
    expect(all).toHaveLength(11)
    for (const [offset, limit] of [
      [4, 3],
      [7, 3],
      [9, 5],
      [10, 1],
      [11, 1],
      [50, 3],
    ] as const)
      expect(await page(offset, limit, 3)).toEqual({ items: all.slice(offset, offset + limit), total: 11 })
  })

  test('connections that are cut or hang are no harm: what was applied is what a fresh build makes', async () => {
    const history = positioned(...(fc.sample(histories(), { numRuns: 12, seed: 7 }).at(-1) ?? []))
    const many = [...history, ...items(...Array.from({ length: 60 }, (_, at) => ({ media: `m${at}` })))]
      .map((one) => ('position' in one ? one.change : one))
      .map((change, at) => ({ position: at + 1, change }))
    const proxy = await startProxy(new URL(url).host)
    const client = connectElasticsearch({ url: `http://${proxy.address}` }, 1_000)
    // By the number of the request, so that a loaded machine gets as far as an idle one between two faults.
    let requests = 0
    const disturb = (): void => {
      requests++
      if (requests % 5 === 3 || requests % 7 === 6) setTimeout(() => proxy.drop(), requests % 4)
      if (requests % 20 !== 19) return
      proxy.hang()
      setTimeout(() => void proxy.mend().then(() => proxy.drop()), 1_500)
    }
    let failures = 0
    const insist = async <T>(work: () => Promise<T>): Promise<T> => {
      for (;;)
        try {
          return await work()
        } catch (error) {
          expect(error).toBeInstanceOf(EngineUnavailable)
          failures++
        }
    }
    try {
      const { prefix } = indices
      const writer = await open(openIndexStore({ client, prefix, definition: catalogIndex }))
      client.diagnostic.on('request', disturb)
      for (let from = 0; from < many.length; from += 4) {
        const part = many.slice(from, from + 4)
        await insist(() => writer.applyBatch(part, part.at(-1)!.position))
      }
      client.diagnostic.off('request', disturb)
      expect(failures).toBeGreaterThan(5)
      const fresh = await build()
      await fresh.applyBatch(many, many.length)
      expect(await insist(() => digestOf(writer))).toBe(await digestOf(fresh))
      await writer.close()
    } finally {
      await client.close()
      await proxy.cut()
    }
  })
})
