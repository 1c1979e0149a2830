import type { CatalogChange } from '@medialog/application/ports'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { logOf, type CatalogEngine, type CatalogEngineFactory } from './engine.ts'
import { histories } from './history.ts'
import { OTHER_MODEL, put, reembed, replace, TEST_MODEL, uuid, type ItemSketch } from './items.ts'
import { NaiveModel } from './naive-model.ts'

const ACCOUNT = uuid('account')
const ALL = { offset: 0, limit: 100 }

/** What every engine's catalog must do, over the ports alone. */
export function describeCatalogContract(name: string, open: CatalogEngineFactory): void {
  describe(`${name} fills the catalog port`, () => {
    let engine: CatalogEngine
    let record: (...changes: CatalogChange[]) => Promise<number>
    beforeEach(async () => {
      engine = await open()
      const log = logOf(engine)
      record = (...changes) => log.record(...changes)
    })
    afterEach(() => engine.close())

    const ids = async (...args: Parameters<CatalogEngine['catalog']['list']>) =>
      (await engine.catalog.list(...args)).items.map((item) => item.mediaId)
    const items = (...sketches: ItemSketch[]) => record(...sketches.map((sketch) => put(sketch)))
    const remove = (media: string, ingest: string, revision: number): CatalogChange => ({
      type: 'RemoveItem',
      accountId: ACCOUNT,
      mediaId: uuid(media),
      ingestId: uuid(ingest),
      revision,
      at: 9,
    })
    const end = (collection: string, generation = 0): CatalogChange => ({
      type: 'EndCollection',
      accountId: ACCOUNT,
      collection,
      generation,
      at: 9,
    })
    const move = (media: string[], collection: string, generation = 0): CatalogChange => ({
      type: 'MoveItems',
      accountId: ACCOUNT,
      mediaIds: media.map(uuid),
      collection,
      generation,
    })

    test('gives back an item, its content and its vectors as they were put', async () => {
      const change = put({
        media: 'a',
        topics: ['Flight'],
        chunks: ['head', 'first passage', 'second passage'],
      })
      await record(change)
      expect(await engine.catalog.item(ACCOUNT, uuid('a'))).toEqual(change.item)
      expect(await engine.catalog.content(ACCOUNT, uuid('a'))).toEqual(change.content)
      const all = await engine.catalog.vectors(ACCOUNT, [uuid('a'), uuid('b')], 'all')
      expect([...all]).toEqual([[uuid('a'), change.vectors]])
      const combined = await engine.catalog.vectors(ACCOUNT, [uuid('a')], 'combined')
      expect(combined.get(uuid('a'))).toEqual({ ...change.vectors, chunks: [] })
      expect(await engine.catalog.items(ACCOUNT, [uuid('a'), uuid('b'), uuid('a')])).toEqual([change.item])
      expect(await engine.catalog.position()).toBe(1)
    })

    test('finds no item that does not exist', async () => {
      expect(await engine.catalog.item(ACCOUNT, uuid('a'))).toBeNull()
      expect(await engine.catalog.content(ACCOUNT, uuid('a'))).toBeNull()
      expect(await engine.catalog.list(ACCOUNT, {}, ALL)).toEqual({ items: [], total: 0 })
      expect(await engine.catalog.collections(ACCOUNT)).toEqual([])
      expect(await engine.catalog.collection(ACCOUNT, 'default')).toBeNull()
      expect(await engine.catalog.endedCollection(ACCOUNT, 'default', 0)).toBeNull()
      expect(await engine.catalog.storage(ACCOUNT)).toEqual({ vectors: 0, bytes: 0 })
    })

    test('lists newest first, then by id, page by page', async () => {
      await items(...['a', 'b', 'c', 'd', 'e'].map((media, at) => ({ media, createdAt: Math.floor(at / 2) })))
      const pair = (...media: string[]) => media.map(uuid).sort()
      const expected = [...pair('e'), ...pair('c', 'd'), ...pair('a', 'b')]
      expect(await ids(ACCOUNT, {}, ALL)).toEqual(expected)
      expect(await ids(ACCOUNT, {}, { offset: 1, limit: 3 })).toEqual(expected.slice(1, 4))
      expect(await ids(ACCOUNT, {}, { offset: 5, limit: 3 })).toEqual([])
      expect((await engine.catalog.list(ACCOUNT, {}, { offset: 5, limit: 3 })).total).toBe(5)
    })

    test('lists what is behind a place, whether or not its item is still there', async () => {
      await items(
        ...['a', 'b', 'c', 'd', 'e'].map((media, at) => ({
          media,
          createdAt: Math.floor(at / 2),
          collection: 'x',
        })),
      )
      const { items: all } = await engine.catalog.list(ACCOUNT, {}, ALL)
      const behind = (at: number, filter = {}) =>
        ids(ACCOUNT, filter, { after: all[at]!, offset: 0, limit: 2 })
      for (const [at] of all.entries())
        for (const filter of [{}, { collection: 'x' }, { collection: 'x', mediaType: all[0]!.mediaType }])
          expect(await behind(at, filter)).toEqual(all.slice(at + 1, at + 3).map(({ mediaId }) => mediaId))
      const second = all[1]!.mediaId === uuid('c') ? 'c' : 'd'
      await record(remove(second, `${second}/1`, 2))
      expect(await behind(1)).toEqual([all[2]!.mediaId, all[3]!.mediaId])
      const { total } = await engine.catalog.list(ACCOUNT, {}, { after: all[2]!, offset: 0, limit: 2 })
      expect(total).toBe(4)
    })

    test('filters by type and collection', async () => {
      await items(
        { media: 'a', collection: 'x', type: 'image' },
        { media: 'b', collection: 'x' },
        { media: 'c', collection: 'y', type: 'image' },
      )
      expect(await ids(ACCOUNT, { mediaType: 'image' }, ALL)).toEqual([uuid('a'), uuid('c')].sort())
      expect(await ids(ACCOUNT, { collection: 'x' }, ALL)).toEqual([uuid('a'), uuid('b')].sort())
      expect(await ids(ACCOUNT, { collection: 'y', mediaType: 'document' }, ALL)).toEqual([])
      const both = await engine.catalog.list(ACCOUNT, { collection: 'x', mediaType: 'image' }, ALL)
      expect([both.total, both.items[0]!.mediaId]).toEqual([1, uuid('a')])
    })

    test('counts collections by name and type', async () => {
      await items(
        { media: 'a', collection: 'y', createdAt: 5 },
        { media: 'b', collection: 'x', createdAt: 7, type: 'image' },
        { media: 'c', collection: 'x', createdAt: 3 },
      )
      const x = {
        collection: 'x',
        itemCount: 2,
        firstItemAt: 3,
        lastItemAt: 7,
        mediaTypes: { image: 1, document: 1 },
      }
      const y = { collection: 'y', itemCount: 1, firstItemAt: 5, lastItemAt: 5, mediaTypes: { document: 1 } }
      expect(await engine.catalog.collections(ACCOUNT)).toEqual([x, y])
      expect(await engine.catalog.collection(ACCOUNT, 'x')).toEqual(x)
    })

    test('never shows what belongs to another account', async () => {
      await items({ media: 'a', account: 'other', createdAt: 99 }, { media: 'b' })
      expect(await engine.catalog.item(ACCOUNT, uuid('a'))).toBeNull()
      expect(await engine.catalog.content(ACCOUNT, uuid('a'))).toBeNull()
      expect((await engine.catalog.vectors(ACCOUNT, [uuid('a')], 'all')).size).toBe(0)
      expect(await engine.catalog.items(ACCOUNT, [uuid('a')])).toEqual([])
      expect(await ids(ACCOUNT, {}, ALL)).toEqual([uuid('b')])
      expect((await engine.catalog.collections(ACCOUNT))[0]!.itemCount).toBe(1)
      expect((await engine.catalog.storage(ACCOUNT)).vectors).toBe(4)
      await record(remove('a', 'a/1', 2), end('default'))
      expect(await engine.catalog.item(uuid('other'), uuid('a'))).not.toBeNull()
    })

    test('replaces everything derived but keeps time and place', async () => {
      await items({ media: 'a', collection: 'x', createdAt: 5, chunks: ['old', 'old', 'old'] })
      const change = replace(
        { media: 'a', ingest: 'a/2', revision: 3, createdAt: 50, chunks: ['new', 'new'] },
        'a/1',
      )
      await record(change)
      const shown = await engine.catalog.item(ACCOUNT, uuid('a'))
      expect(shown).toEqual({ ...change.item, createdAt: 5, collection: 'x' })
      expect((await engine.catalog.content(ACCOUNT, uuid('a')))!.chunks.map((chunk) => chunk.text)).toEqual([
        'new',
        'new',
      ])
      expect(await engine.catalog.pendingErasures(9)).toEqual([
        {
          accountId: ACCOUNT,
          mediaId: uuid('a'),
          ingestId: uuid('a/1'),
          cause: 'replaced',
          revision: 3,
          position: 2,
        },
      ])
      await record(replace({ media: 'a', ingest: 'a/3', revision: 5, collection: 'y' }, 'a/2'))
      expect(await engine.catalog.item(ACCOUNT, uuid('a'))).toMatchObject({ createdAt: 5, collection: 'y' })
      expect((await engine.catalog.storage(ACCOUNT)).vectors).toBe(4)
    })

    test('removes an item and lists it for erasing', async () => {
      await items({ media: 'a' }, { media: 'b' })
      await record(remove('a', 'a/1', 2))
      expect(await engine.catalog.item(ACCOUNT, uuid('a'))).toBeNull()
      expect(await engine.catalog.content(ACCOUNT, uuid('a'))).toBeNull()
      expect(await ids(ACCOUNT, {}, ALL)).toEqual([uuid('b')])
      expect((await engine.catalog.storage(ACCOUNT)).vectors).toBe(4)
      const erasure = {
        accountId: ACCOUNT,
        mediaId: uuid('a'),
        ingestId: uuid('a/1'),
        cause: 'deleted' as const,
        revision: 2,
        position: 3,
      }
      expect(await engine.catalog.pendingErasures(9)).toEqual([erasure])
      await engine.erasures.markErased(erasure)
      expect(await engine.catalog.pendingErasures(9)).toEqual([])
    })

    test('lists erasures oldest first and forgets those done, in whatever order', async () => {
      await items({ media: 'a' }, { media: 'b' }, { media: 'c', collection: 'x' }, { media: 'd' })
      await record(remove('b', 'b/1', 2), end('x'), remove('a', 'a/1', 2), remove('d', 'd/1', 2))
      const pending = await engine.catalog.pendingErasures(9)
      expect(pending.map(({ mediaId, cause }) => [mediaId, cause])).toEqual([
        [uuid('b'), 'deleted'],
        [uuid('c'), 'ended'],
        [uuid('a'), 'deleted'],
        [uuid('d'), 'deleted'],
      ])
      expect(pending.map(({ position }) => position)).toEqual([5, 6, 7, 8])
      expect(pending.map(({ place }) => place)).toEqual([
        undefined,
        { collection: 'x', generation: 0 },
        undefined,
        undefined,
      ])
      expect(await engine.catalog.pendingErasures(2)).toEqual(pending.slice(0, 2))
      expect(await engine.catalog.pendingErasures(3, { of: ACCOUNT })).toEqual(pending.slice(0, 3))
      expect(await engine.catalog.pendingErasures(9, { of: uuid('somebody else') })).toEqual([])
      expect(await engine.catalog.pendingErasures(9, { notOf: [ACCOUNT] })).toEqual([])
      const others = { notOf: [uuid('somebody else')] }
      expect(await engine.catalog.pendingErasures(9, others)).toEqual(pending)
      await engine.erasures.markErased(pending[2]!)
      await engine.erasures.markErased(pending[0]!)
      expect(await engine.catalog.pendingErasures(9)).toEqual([pending[1], pending[3]])
      await record(remove('c', 'c/1', 2))
      const after = await engine.catalog.pendingErasures(9)
      expect(after.map(({ mediaId, cause }) => [mediaId, cause])).toEqual([
        [uuid('d'), 'deleted'],
        [uuid('c'), 'deleted'],
      ])
    })

    test('ends a collection for every reader at once', async () => {
      await items(
        { media: 'a', collection: 'x' },
        { media: 'b', collection: 'x' },
        { media: 'c', collection: 'y' },
      )
      await record(end('x'))
      expect(await engine.catalog.item(ACCOUNT, uuid('a'))).toBeNull()
      expect(await engine.catalog.content(ACCOUNT, uuid('a'))).toBeNull()
      expect((await engine.catalog.vectors(ACCOUNT, [uuid('a')], 'combined')).size).toBe(0)
      expect(await engine.catalog.list(ACCOUNT, { collection: 'x' }, ALL)).toEqual({ items: [], total: 0 })
      expect(await ids(ACCOUNT, {}, ALL)).toEqual([uuid('c')])
      expect(await engine.catalog.collection(ACCOUNT, 'x')).toBeNull()
      expect((await engine.catalog.storage(ACCOUNT)).vectors).toBe(4)
      expect(await engine.catalog.endedCollection(ACCOUNT, 'x', 0)).toEqual({
        items: 2,
        hd: 6,
        ld: 2,
        left: 2,
      })
      expect(await engine.catalog.endedCollection(ACCOUNT, 'x', 1)).toBeNull()
      await record(remove('a', 'a/1', 2))
      expect(await engine.catalog.endedCollection(ACCOUNT, 'x', 0)).toEqual({
        items: 2,
        hd: 6,
        ld: 2,
        left: 1,
      })
    })

    test('lists, moves and ends a collection of 10,000 items whole', async () => {
      const names = Array.from({ length: 10_000 }, (_, item) => `${item}`)
      await items(
        ...names.map((media, createdAt) => ({ media, createdAt, collection: 'x', chunks: ['one'] })),
      )
      const countIn = async (collection: string) =>
        (await engine.catalog.collection(ACCOUNT, collection))?.itemCount
      const page = (collection: string, offset: number) =>
        engine.catalog.list(ACCOUNT, { collection }, { offset, limit: 100 })
      expect(await countIn('x')).toBe(10_000)
      const last = await page('x', 9_900)
      expect(last.total).toBe(10_000)
      expect(last.items.map(({ mediaId }) => mediaId)).toEqual(names.slice(0, 100).toReversed().map(uuid))
      await record(move(names.slice(0, 1_000), 'y'))
      expect([await countIn('x'), await countIn('y')]).toEqual([9_000, 1_000])
      expect((await page('y', 950)).items).toHaveLength(50)
      await record(end('x'))
      expect([await countIn('x'), await countIn('y')]).toEqual([undefined, 1_000])
      expect(await page('x', 0)).toEqual({ items: [], total: 0 })
      expect(await engine.catalog.endedCollection(ACCOUNT, 'x', 0)).toMatchObject({
        items: 9_000,
        left: 9_000,
      })
      expect(await engine.catalog.pendingErasures(6_400)).toHaveLength(6_400)
    }, 240_000)

    test('a new generation of an ended collection holds only what came after', async () => {
      await items({ media: 'a', collection: 'x' })
      await record(end('x'), put({ media: 'b', collection: 'x', generation: 1 }))
      expect(await ids(ACCOUNT, { collection: 'x' }, ALL)).toEqual([uuid('b')])
      expect((await engine.catalog.collection(ACCOUNT, 'x'))!.itemCount).toBe(1)
      await record(
        remove('a', 'a/1', 2),
        put({ media: 'a', ingest: 'a/2', revision: 4, collection: 'x', generation: 1 }),
      )
      expect(await ids(ACCOUNT, { collection: 'x' }, ALL)).toEqual([uuid('a'), uuid('b')].sort())
    })

    test('moves what is there, nothing else', async () => {
      await items({ media: 'a', collection: 'x' }, { media: 'b', collection: 'y' })
      await record(end('x'), move(['b', 'nobody'], 'z'))
      expect(await ids(ACCOUNT, {}, ALL)).toEqual([uuid('b')])
      expect(await engine.catalog.item(ACCOUNT, uuid('b'))).toMatchObject({ collection: 'z' })
      expect((await engine.catalog.collections(ACCOUNT)).map((one) => one.collection)).toEqual(['z'])
    })

    test('marks items recorded after their collection ended, and shows them once they are moved', async () => {
      await items({ media: 'a', collection: 'x' }, { media: 'b', collection: 'x' }, { media: 'c' })
      await record(
        end('x'),
        replace({ media: 'b', ingest: 'b/2', revision: 3 }, 'b/1'),
        put({ media: 'd', collection: 'x' }),
      )
      const ended = async () => {
        const pending = await engine.catalog.pendingErasures(9)
        return new Map(
          pending
            .filter(({ cause }) => cause === 'ended')
            .map(({ mediaId, late }) => [mediaId, late ?? false]),
        )
      }
      const first = [uuid('a'), false] as const
      expect(await ended()).toEqual(new Map([first, [uuid('b'), true], [uuid('d'), true]]))
      expect(await ids(ACCOUNT, {}, ALL)).toEqual([uuid('c')])
      expect(await engine.catalog.endedCollection(ACCOUNT, 'x', 0)).toMatchObject({ items: 2, left: 3 })
      await record(move(['b', 'd'], 'x', 1))
      expect(await ended()).toEqual(new Map([first]))
      expect(await ids(ACCOUNT, { collection: 'x' }, ALL)).toEqual([uuid('b'), uuid('d')].sort())
      expect(await engine.catalog.item(ACCOUNT, uuid('b'))).toMatchObject({ ingestId: uuid('b/2') })
    })

    test('keeps the later of two revisions, whichever comes first', async () => {
      const log = logOf(engine)
      await log.record(put({ media: 'a', ingest: 'a/2', revision: 4 }))
      await log.record(put({ media: 'a', revision: 1 }))
      await log.record(replace({ media: 'a', ingest: 'a/0', revision: 2 }, 'a/1'))
      await log.record(remove('a', 'a/1', 3))
      expect(await engine.catalog.item(ACCOUNT, uuid('a'))).toMatchObject({
        ingestId: uuid('a/2'),
        revision: 4,
      })
      await log.record(remove('a', 'a/2', 5), put({ media: 'a', ingest: 'a/2', revision: 4 }))
      expect(await engine.catalog.item(ACCOUNT, uuid('a'))).toBeNull()
    })

    test('gives an ingest other vectors, and leaves all else about it', async () => {
      const sketch = { media: 'a', collection: 'x', createdAt: 7, chunks: ['a', 'flow'] }
      await items(sketch, { media: 'b', account: 'other' })
      const { catalog } = engine
      const content = await catalog.content(ACCOUNT, uuid('a'))
      const before = await catalog.item(ACCOUNT, uuid('a'))
      const changed = reembed({ ...sketch, revision: 2, model: OTHER_MODEL })
      await record(changed)
      const vectors = (await catalog.vectors(ACCOUNT, [uuid('a')], 'all')).get(uuid('a'))
      expect(vectors).toEqual(changed.vectors)
      expect(await catalog.item(ACCOUNT, uuid('a'))).toEqual({ ...before, revision: 2 })
      expect(await catalog.content(ACCOUNT, uuid('a'))).toEqual(content)
      expect(await catalog.models(ACCOUNT)).toEqual([OTHER_MODEL])
      expect(await catalog.models(uuid('other'))).toEqual([TEST_MODEL])
      expect(await catalog.embeddings()).toEqual([
        { model: OTHER_MODEL, items: 1, vectors: 3, accounts: 1 },
        { model: TEST_MODEL, items: 1, vectors: 3, accounts: 1 },
      ])
      expect(await catalog.pendingErasures(10)).toEqual([])
    })

    test('gives none to what was deleted or replaced, nor to what has later ones', async () => {
      await items({ media: 'a' }, { media: 'b' }, { media: 'c' })
      await record(remove('a', 'a/1', 2), replace({ media: 'b', ingest: 'b/2', revision: 2 }, 'b/1'))
      for (const media of ['a', 'b']) await record(reembed({ media, revision: 3, model: OTHER_MODEL }))
      await record(
        reembed({ media: 'c', revision: 4 }),
        reembed({ media: 'c', revision: 3, model: OTHER_MODEL }),
      )
      expect(await engine.catalog.item(ACCOUNT, uuid('a'))).toBeNull()
      expect(await engine.catalog.models(ACCOUNT)).toEqual([TEST_MODEL])
    })

    test('lists all items in a lasting order, page by page', async () => {
      await items(
        { media: 'a' },
        { media: 'b', account: 'other' },
        { media: 'c' },
        { media: 'd', collection: 'x' },
      )
      await record(end('x'))
      const all = await engine.catalog.embedded(null, 10)
      expect(all.map(({ mediaId }) => mediaId).sort()).toEqual([uuid('a'), uuid('b'), uuid('c')].sort())
      expect(all[0]).toMatchObject({ model: TEST_MODEL, ingestId: expect.any(String) })
      await record(reembed({ media: 'a', revision: 2, model: OTHER_MODEL }))
      const paged = []
      for (let last = null; ;) {
        const [next] = await engine.catalog.embedded(last, 1)
        if (!next) break
        paged.push(next)
        last = next
      }
      expect(paged.map(({ mediaId }) => mediaId)).toEqual(all.map(({ mediaId }) => mediaId))
    })

    test('agrees with a naive model on any history, and applying it again changes nothing', async () => {
      await fc.assert(
        fc.asyncProperty(histories(), async (history) => {
          const fresh = await open()
          try {
            const log = logOf(fresh)
            const model = new NaiveModel()
            for (const change of structuredClone(history)) model.apply(change)
            await log.record(...history)
            await expectSame(fresh, model)
            const erasures = await fresh.catalog.pendingErasures(1_000)
            await fresh.apply(log.history)
            await expectSame(fresh, model)
            expect(await fresh.catalog.pendingErasures(1_000)).toEqual(erasures)
          } finally {
            await fresh.close()
          }
        }),
        { numRuns: 30 },
      )
    }, 240_000)
  })
}

async function expectSame({ catalog }: CatalogEngine, model: NaiveModel): Promise<void> {
  for (const accountId of [uuid('account 0'), uuid('account 1')]) {
    const live = model.live(accountId)
    const shown = live.map(({ change, collection, createdAt }) => ({ ...change.item, collection, createdAt }))
    expect(await catalog.list(accountId, {}, ALL)).toEqual({ items: shown, total: shown.length })
    for (const item of model.items.values()) {
      const { mediaId } = item.change.item
      const content = live.includes(item) ? item.change.content : null
      expect(await catalog.content(accountId, mediaId)).toEqual(content)
    }
    expect(await catalog.models(accountId)).toEqual(
      [...new Set(live.map(({ change }) => change.vectors.model))].sort(),
    )
    const stored = await catalog.vectors(
      accountId,
      live.map(({ change }) => change.item.mediaId),
      'all',
    )
    for (const { change } of live) expect(stored.get(change.item.mediaId)).toEqual(change.vectors)
    const names = [...new Set(live.map((item) => item.collection))].sort()
    const collections = await catalog.collections(accountId)
    expect(collections.map(({ collection, itemCount }) => [collection, itemCount])).toEqual(
      names.map((name) => [name, live.filter((item) => item.collection === name).length]),
    )
    expect((await catalog.storage(accountId)).vectors).toBe(live.length * 4)
  }
}
