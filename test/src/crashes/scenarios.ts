import { UnreadableFile } from '@medialog/application'
import { DuplicateMedia } from '@medialog/domain'
import { usd, type Money, type Uuid } from '@medialog/kernel'
import { ITEM, type Caller, type File } from './caller.ts'
import type { World } from './world.ts'

/** What the client remembers when the service crashes. */
type Notes = Map<string, Uuid>
type Step = (caller: Caller, context: { world: World; notes: Notes }) => Promise<unknown>

/** What one client does, and what must be there when no work is left, wherever the service crashed. */
export interface Scenario {
  name: string
  /** Done before the first crash. */
  before?: (caller: Caller, context: { world: World }) => Promise<unknown>
  /** Done in order. A step that the service did not answer before it crashed is repeated. */
  steps: readonly Step[]
  /** Names of the items at the end. Undefined: any items, as long as each was paid for. */
  items?: readonly string[]
  /** What was spent besides the items at the end. */
  besides?: Money
  /** What was credited after the account was opened. */
  credited?: Money
  /** Whether the service sends to webhooks. */
  webhooks?: boolean
  /** The embedder of the vectors that the items have at the end. */
  model?: string
  /** The account is closed at the end. */
  closed?: boolean
  /** Words that no file may hold at the end. */
  erased?: readonly string[]
}

const MONTH_MS = 31 * 24 * 3_600_000

const file = (name: string, text = `What ${name} says about whales near Reykjavik.`): File => ({ name, text })
const BROKEN = file('broken.txt', 'broken beyond repair')
// Of two files with the same bytes either may come first.
const MIXED = [file('one.txt'), BROKEN, file('two.txt'), file('one.txt')]
const FEW = [file('one.txt'), BROKEN]

// The refusals that a scenario expects.
const unreadable = (error: unknown): void => {
  if (!(error instanceof UnreadableFile)) throw error
}
const duplicate = (error: unknown): void => {
  if (!(error instanceof DuplicateMedia)) throw error
}

const send =
  (files: readonly File[]): Step =>
  async (caller, { notes }) =>
    notes.set('batch', await caller.batch(files, 'batch'))
const cancelBatch: Step = (caller, { notes }) => caller.cancel(notes.get('batch')!)
const aMonthGoesBy: Step = async (_, { world }) => (world.now += MONTH_MS)

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'an upload',
    steps: [(caller) => caller.upload(file('a.txt'), { key: 'a' })],
    items: ['a.txt'],
  },
  {
    name: 'an upload without an Idempotency-Key, sent again',
    steps: [(caller) => caller.upload(file('a.txt')).catch(duplicate)],
    items: ['a.txt'],
  },
  {
    name: 'the same upload twice at once',
    steps: [
      async (caller) => {
        const results = await Promise.allSettled([caller.upload(file('a.txt')), caller.upload(file('a.txt'))])
        if (results.every(({ status }) => status === 'rejected'))
          await caller.upload(file('a.txt')).catch(duplicate)
      },
    ],
    items: ['a.txt'],
  },
  {
    name: 'an upload of a file that cannot be read',
    steps: [(caller) => caller.upload(BROKEN, { key: 'broken' }).catch(unreadable)],
    items: [],
  },
  {
    name: 'an upload that overwrites',
    before: (caller) => caller.upload(file('old.txt', 'The same bytes.')),
    steps: [(caller) => caller.upload(file('new.txt', 'The same bytes.'), { key: 'over', overwrite: true })],
    items: ['new.txt'],
    besides: ITEM,
  },
  {
    name: 'a batch',
    steps: [send(MIXED)],
    items: ['one.txt', 'two.txt'],
  },
  {
    name: 'a batch that is cancelled',
    steps: [send(MIXED), cancelBatch],
  },
  {
    name: 'a deletion, and the same bytes again',
    before: (caller) => caller.upload(file('a.txt')),
    steps: [
      (caller) => caller.delete('a.txt'),
      (caller) => caller.upload(file('again.txt', file('a.txt').text), { key: 'again' }),
    ],
    items: ['again.txt'],
    besides: ITEM,
  },
  {
    name: 'a deletion with a receipt',
    before: async (caller) => {
      await caller.upload(file('a.txt', 'The wombatquagmire sleeps.'))
      await caller.upload(file('b.txt'))
    },
    steps: [(caller) => caller.delete('a.txt', { receipt: true })],
    items: ['b.txt'],
    erased: ['wombatquagmire'],
    besides: ITEM,
  },
  {
    name: 'a collection that is deleted and filled again',
    before: async (caller) => {
      for (const name of ['a.txt', 'b.txt']) await caller.upload(file(name), { collection: 'papers' })
      await caller.upload(file('stays.txt'))
    },
    steps: [
      (caller) => caller.deleteCollection('papers'),
      (caller) => caller.upload(file('a.txt'), { key: 'again', collection: 'papers' }),
    ],
    items: ['a.txt', 'stays.txt'],
    besides: 2n * ITEM,
  },
  {
    name: 'a move',
    before: async (caller) => {
      for (const name of ['a.txt', 'b.txt']) await caller.upload(file(name))
    },
    steps: [(caller) => caller.move('a.txt', 'papers')],
    items: ['a.txt', 'b.txt'],
  },
  {
    name: 'a question',
    before: (caller) => caller.upload(file('a.txt')),
    steps: [(caller) => caller.ask('ask')],
    items: ['a.txt'],
    besides: usd('0.01'),
  },
  {
    name: 'an analysis',
    steps: [(caller) => caller.analyze('The machine weighs forty tons.', 'analyze')],
    items: [],
    besides: usd('0.03'),
  },
  {
    name: 'a search that reaches less than it was charged for',
    steps: [(caller) => caller.searchTwoLevels('search')],
    items: [],
    besides: usd('0.02'),
  },
  {
    name: 'a credit with a reference',
    steps: [(caller) => caller.credit('5', 'invoice 7')],
    items: [],
    credited: usd('5'),
  },
  {
    name: 'what happens, sent to a webhook',
    webhooks: true,
    before: (caller) => caller.addWebhook(),
    steps: [
      (caller) => caller.upload(file('a.txt'), { key: 'a' }),
      (caller) => caller.credit('5', 'invoice 8'),
    ],
    items: ['a.txt'],
    credited: usd('5'),
  },
  {
    name: 'a migration to another embedder, with a deletion beside it',
    before: async (caller, { world }) => {
      world.model = 'former'
      for (const name of ['a.txt', 'b.txt', 'c.txt']) await caller.upload(file(name))
      world.model = 'latter'
    },
    steps: [(caller) => Promise.all([caller.migrate(), caller.delete('b.txt')])],
    items: ['a.txt', 'c.txt'],
    besides: ITEM,
    model: 'latter',
  },
  {
    name: 'work across the end of months, in which the books are closed',
    before: (caller) => caller.upload(file('old.txt')),
    steps: [
      (caller) => caller.upload(file('a.txt'), { key: 'a' }),
      aMonthGoesBy,
      send(FEW),
      aMonthGoesBy,
      cancelBatch,
      (caller) => caller.analyze('The machine weighs forty tons.', 'analyze'),
    ],
    besides: usd('0.03'),
  },
  {
    name: 'an account that is closed while a batch runs',
    before: async (caller) => {
      await caller.upload(file('kookaburraledger.txt'), { collection: 'kookaburrapapers' })
      await caller.upload(file('b.txt'), { key: 'b' })
    },
    steps: [send(FEW), (caller) => caller.close()],
    closed: true,
    erased: ['kookaburra'],
  },
]
