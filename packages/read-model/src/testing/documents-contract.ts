import type { PositionedChange } from '@medialog/application/ports'
import type { DecodedEvent } from '@medialog/contract'
import type { RecordedEvent } from '@medialog/kernel'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { kindOf, type DocumentQueries, type Documents, type RecordStore, type Where } from '../documents.ts'

/** Documents under test. `apply`: one batch; what it writes is found once it resolves. */
export interface DocumentsEngine {
  read: DocumentQueries
  apply(events: readonly PositionedChange<DecodedEvent>[]): Promise<void>
  close(): Promise<void>
}

interface Book {
  shelf: string
  title: string
  year: number | null
  pages: number
}

const books = kindOf<Book>('book', {
  fields: { shelf: 'keyword', title: 'keyword', year: 'long', pages: 'long' },
  indexes: [['shelf', 'year']],
})
/** How many books were put on it, and the ids that they were put under: each is made from those before it. */
const shelves = kindOf<{ books: number }>('shelf', { fields: {}, isWrittenLast: true })

type Work = (documents: Documents) => void

/** An event is what it does, by its name: several batches may hold it. */
const works = new Map<string, Work>()

const store: RecordStore = {
  name: 'records',
  version: 1,
  models: [
    {
      name: 'usage',
      kinds: [books, shelves],
      reducers: { account: ({ id }, documents) => works.get(id)!(documents) },
    },
  ],
}

const book = (title: string, year: number | null, pages: number, shelf = 'a'): Book => ({
  shelf,
  title,
  year,
  pages,
})
const SOME: Book[] = [
  book('Moby-Dick', 1851, 635),
  book('Emma', 1815, 474),
  book('Undated', null, 10),
  book('Persuasion', 1817, 249),
  book('Ulysses', 1922, 730, 'b'),
]

/** What the documents of read models must do in every engine. `factory` is called once a test, for an empty store. */
export function describeDocumentsContract(
  name: string,
  factory: (store: RecordStore) => Promise<DocumentsEngine>,
): void {
  describe(`documents: ${name}`, () => {
    let engine: DocumentsEngine
    let events: PositionedChange<DecodedEvent>[]
    beforeEach(async () => {
      engine = await factory(store)
      events = []
    })
    afterEach(() => engine.close())

    function event(work: Work): PositionedChange<DecodedEvent> {
      const position = events.length + 1
      const id = `event ${position}`
      works.set(id, work)
      const recorded = { position } as RecordedEvent
      const one = { position, change: { category: 'account', id, recorded } as DecodedEvent }
      events.push(one)
      return one
    }
    const happens = (...all: Work[]): Promise<void> => engine.apply(all.map((work) => event(work)))
    const put =
      (one: Book): Work =>
      (documents) =>
        documents.put(books, one.title, one)

    const titles = async (where: Where<keyof Book>): Promise<string[]> =>
      (await engine.read.find(books, { where, sort: [['title', 'asc']] })).map(({ title }) => title)

    test('a document is as the last event left it', async () => {
      expect(await engine.read.get(books, 'Emma')).toBeNull()
      await happens(put(SOME[1]!), (documents) =>
        documents.update(books, 'Emma', (before) => before && { ...before, pages: before.pages + 1 }),
      )
      expect(await engine.read.get(books, 'Emma')).toEqual({ ...SOME[1], pages: 475 })
      await happens(
        (documents) => documents.update(books, 'Emma', (before) => before && { ...before, year: null }),
        (documents) => documents.update(books, 'nothing', (before) => before),
      )
      expect(await engine.read.get(books, 'Emma')).toEqual({ ...SOME[1], pages: 475, year: null })
      expect(await engine.read.get(books, 'nothing')).toBeNull()
      expect(await engine.read.position()).toBe(4)
    })

    test('what is removed is not found, and may come back', async () => {
      await happens(put(SOME[0]!), put(SOME[1]!))
      await happens(
        (documents) => documents.remove(books, 'Emma'),
        (documents) => documents.update(books, 'Moby-Dick', () => null),
        (documents) => documents.remove(books, 'nothing'),
      )
      expect(await engine.read.get(books, 'Emma')).toBeNull()
      expect(await titles({})).toEqual([])
      await happens(put(SOME[1]!))
      expect(await titles({})).toEqual(['Emma'])
    })

    test('reducers see what the events before made, in the same batch and in earlier ones', async () => {
      const add: Work = (documents) =>
        documents.update(shelves, 'a', (before) => {
          const number = (before?.books ?? 0) + 1
          documents.put(books, `book ${number}`, book(`book ${number}`, null, number))
          return { books: number }
        })
      await happens(add, add)
      await happens(add)
      expect(await titles({})).toEqual(['book 1', 'book 2', 'book 3'])
      expect(await engine.read.get(shelves, 'a')).toEqual({ books: 3 })
    })

    test('documents are found by each condition', async () => {
      await happens(...SOME.map(put))
      expect(await titles({})).toEqual(['Emma', 'Moby-Dick', 'Persuasion', 'Ulysses', 'Undated'])
      expect(await titles({ shelf: 'b' })).toEqual(['Ulysses'])
      expect(await titles({ pages: 249 })).toEqual(['Persuasion'])
      expect(await titles({ year: null })).toEqual(['Undated'])
      expect(await titles({ year: { gt: 1815, lte: 1851 } })).toEqual(['Moby-Dick', 'Persuasion'])
      expect(await titles({ year: { gte: 1815, lt: 1851 } })).toEqual(['Emma', 'Persuasion'])
      expect(await titles({ title: { in: ['Emma', 'Ulysses', 'other'] } })).toEqual(['Emma', 'Ulysses'])
      expect(await titles({ title: { in: [] } })).toEqual([])
      expect(await titles({ title: { notIn: ['Emma', 'Ulysses'] } })).toEqual([
        'Moby-Dick',
        'Persuasion',
        'Undated',
      ])
      expect(await titles({ title: { notIn: [] }, shelf: 'b' })).toEqual(['Ulysses'])
      expect(await engine.read.count(books, { shelf: 'a', year: { gt: 0 } })).toBe(3)
    })

    test('documents come in order, page by page and behind one another', async () => {
      await happens(...SOME.map(put))
      const dated = { where: { year: { gt: 0 } }, sort: [['year', 'asc']] } as const
      const found = await engine.read.find(books, { ...dated, limit: 3 })
      expect(found.map(({ year }) => year)).toEqual([1815, 1817, 1851])
      expect(await engine.read.find(books, { ...dated, limit: 2, after: [1851] })).toEqual([SOME[4]])
      const sort = [
        ['shelf', 'desc'],
        ['pages', 'asc'],
      ] as const
      const { documents, total } = await engine.read.page(books, { where: {}, sort }, { offset: 1, limit: 2 })
      expect([documents.map(({ title }) => title), total]).toEqual([['Undated', 'Persuasion'], 5])
      const [first, second] = await engine.read.findAll([
        { kind: books, found: dated },
        { kind: books, found: { where: { shelf: 'b' }, sort } },
      ])
      expect([first!.length, second]).toEqual([4, [SOME[4]]])
    })

    test('documents are counted and added up by group', async () => {
      await happens(...SOME.map(put))
      const by = ['shelf'] as const
      expect(await engine.read.group(books, { where: {}, by })).toMatchObject([
        { key: { shelf: 'a' }, count: 4 },
        { key: { shelf: 'b' }, count: 1 },
      ])
      expect(
        await engine.read.group(books, { where: { shelf: 'a' }, by, sum: 'pages', max: 'year' }),
      ).toEqual([{ key: { shelf: 'a' }, count: 4, sum: 1_368, max: 1851 }])
      const undated = { where: { year: null }, by, sum: 'year', max: 'year' } as const
      expect(await engine.read.group(books, undated)).toEqual([
        { key: { shelf: 'a' }, count: 1, sum: 0, max: null },
      ])
    })

    test('of each interval the last document is found', async () => {
      await happens(...SOME.map(put))
      const last = await engine.read.lastOfEach(books, {
        where: { shelf: 'a' },
        by: 'year',
        within: { gte: 1800, lt: 1900 },
        step: 50,
        sort: [['year', 'asc']],
      })
      expect(last.map(({ title }) => title)).toEqual(['Persuasion', 'Moby-Dick'])
    })
  })
}
