import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InsufficientFunds } from '@medialog/domain'
import { openSqliteEventStore } from '@medialog/event-store'
import { formatUsd, systemClock, usd } from '@medialog/kernel'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { DEFAULT_PRICES } from '../billing/prices.ts'
import { createBackground } from '../core/background.ts'
import type { RequestContext } from '../core/context.ts'
import {
  AccountSuspended,
  CollectionNotFound,
  InvalidInput,
  MediaItemNotFound,
  ReplayGone,
} from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { Ports } from '../core/ports.ts'
import { SYSTEM } from '../event-sourcing/executing.ts'
import { createStreams } from '../event-sourcing/streams.ts'
import {
  EngineUnavailable,
  type AnswerOptions,
  type CatalogItem,
  type EventStore,
  type KeptAnswers,
  type Question,
  type SearchQuery,
} from '../ports/index.ts'
import { ask } from './ask.ts'
import type { AskQuestion } from './ground.ts'
import type { AnswerListener } from './made-answer.ts'
import { unseal } from './seal.ts'

let folder: string
let store: EventStore
let ports: Ports
const accountId = newId()
const mediaId = newId()
/** What the catalog holds: accounts to the chunks of their one item. */
let library: Map<string, { ingestId: string; chunks: string[] }>
/** What the model was asked, and what it does. */
let asked: Question[]
let pieces: string[]
let failAt: number | null
/** Whether a provider is sent what it was asked. */
let isSent: boolean
/** What was kept for repeats. */
let kept: Map<string, Uint8Array>
/** What was embedded and searched for. */
let retrieved: string[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'medialog-ask-'))
  store = await openSqliteEventStore({ path: join(folder, 'events.sqlite') })
  const streams = createStreams(store, systemClock)
  const credit = {
    type: 'Credit',
    creditId: newId(),
    amount: usd('1'),
    reference: null,
    at: Date.now(),
  } as const
  await streams.execute('ledger', accountId, credit, SYSTEM)
  library = new Map([[accountId, { ingestId: newId(), chunks: ['Head', 'The wind blew.'] }]])
  asked = []
  pieces = ['The ', 'wind ', 'blew.']
  failAt = null
  isSent = false
  kept = new Map()
  retrieved = []
  const itemOf = (account: string, id: string) =>
    library.has(account) && id === mediaId
      ? ({
          accountId: account,
          mediaId,
          mediaType: 'document',
          filename: 'wind.txt',
          collection: 'winds',
          extraction: {
            title: 'Winds',
            facts: { mediaType: 'audio', passageTimes: [{ start: 61, end: 90 }] },
          },
          revision: 4,
          ...library.get(account),
        } as unknown as CatalogItem)
      : null
  ports = {
    clock: systemClock,
    streams,
    background: createBackground(() => undefined),
    projections: { reached: async () => true },
    settings: { prices: DEFAULT_PRICES, quotas: {}, readYourWritesMs: 1 },
    embedder: {
      model: 'letters',
      cosineFloor: 0,
      embed: async (texts: string[]) => {
        retrieved.push(...texts)
        return texts.map(() => Float32Array.of(1, 0))
      },
    },
    catalog: {
      item: async (account: string, id: string) => itemOf(account, id),
      content: async (account: string) => {
        const chunks = library.get(account)?.chunks.map((text) => ({ text, start: 0, end: 0 }))
        return chunks ? { text: '', chunks } : null
      },
      collection: async (_account: string, name: string) => (name === 'winds' ? { collection: name } : null),
      vectors: async () =>
        new Map([[mediaId, { model: 'letters', chunks: [Float32Array.of(0, 1), Float32Array.of(0.5, 0)] }]]),
    },
    search: {
      prepare: async ({ accountId: account, collections }: SearchQuery) => ({
        models: ['letters'],
        search: async () => ({
          hits:
            library.has(account) && (collections?.includes('winds') ?? true)
              ? [{ item: itemOf(account, mediaId), passage: { chunk: 1, text: '' } }]
              : [],
        }),
      }),
    },
    keptAnswers: {
      put: async ({ requestId }, sealed) => void kept.set(requestId, sealed),
      get: async ({ requestId }) => kept.get(requestId) ?? null,
    } satisfies Partial<KeptAnswers>,
    languageModel: {
      model: 'words',
      disclaimer: 'Words.',
      async countTokens(texts: string[], { most = Infinity } = {}) {
        let left = most
        return texts.flatMap((text) => {
          if (left < 0) return []
          const count = Math.min(left + 1, text.split(' ').filter(Boolean).length)
          left -= count
          return count
        })
      },
      async *answer(question: Question, { signal, onSent }: AnswerOptions = {}) {
        asked.push(question)
        if (isSent) onSent!()
        for (const [i, text] of pieces.entries()) {
          if (i === failAt) throw new EngineUnavailable('model', 'gone')
          signal?.throwIfAborted()
          yield { type: 'text', text }
        }
        yield {
          type: 'end',
          cited: [question.passages.length - 1],
          answered: true,
          outputTokens: pieces.length,
        }
      },
    },
  } as unknown as Ports
})
afterEach(async () => {
  ports.background.stop()
  await store.close()
  await rm(folder, { recursive: true })
})

const context = (account = accountId): RequestContext => ({
  principal: { accountId: account, keyId: 'key', capabilities: ['read'], tier: 'standard', status: 'active' },
  requestId: newId(),
})
const question = (changes: Partial<AskQuestion> = {}): AskQuestion => ({
  query: 'What blew?',
  mediaId: null,
  systemPrompt: null,
  context: null,
  temperature: 0.7,
  maxTokens: 1024,
  ...changes,
})
const grounded = (changes: Partial<AskQuestion> = {}) => question({ mediaId: `vec-${mediaId}`, ...changes })
const balance = async () => {
  const { selected } = await ports.streams.load('ledger', accountId, (ledger) => ({
    balance: formatUsd(ledger.balance),
    open: [...ledger.charges.values()].filter(({ open }) => open).length,
  }))
  return selected
}
/** Receives so many pieces, then disconnects. */
function listener(most: number): AnswerListener & { heard: string[] } {
  const gone = new AbortController()
  const heard: string[] = []
  return {
    heard,
    signal: gone.signal,
    async delta(text) {
      if (heard.length === most) {
        gone.abort(new Error('gone'))
        throw gone.signal.reason
      }
      heard.push(text)
    },
  }
}

test('an item’s question is given all of its passages, with how close they are', async () => {
  const answered = await ask(ports, context(), grounded({ systemPrompt: 'Be brief.', context: 'Before.' }))
  expect(asked[0]).toMatchObject({
    query: 'What blew?',
    instructions: 'Be brief.',
    context: 'Before.',
    passages: [
      { text: 'Head', relevance: 0 },
      { text: 'The wind blew.', relevance: 0.5 },
    ],
  })
  expect(answered).toMatchObject({
    text: 'The wind blew.',
    answered: true,
    sources: [
      {
        mediaId,
        filename: 'wind.txt',
        title: 'Winds',
        chunk: 1,
        text: 'The wind blew.',
        time: { start: 61, end: 90 },
        revision: 4,
      },
    ],
    usage: { inputTokens: 2 + 2 + 1 + 1 + 3, outputTokens: 3 },
    price: { tier: 'minimum' },
    replayed: false,
  })
  expect(await balance()).toEqual({ balance: '0.99', open: 0 })
})

test('a question without an item is given what search finds in its own account', async () => {
  expect((await ask(ports, context(), question())).sources).toHaveLength(1)
  expect(asked[0]!.passages.map(({ text }) => text)).toEqual(['The wind blew.'])
  const other = newId()
  await expect(ask(ports, context(other), grounded())).rejects.toThrow(MediaItemNotFound)
  await expect(ask(ports, context(other), question())).rejects.toThrow('balance is too low')
  expect(asked).toHaveLength(1)
})

test('a question may be held to collections; one that is not there is refused, and costs nothing', async () => {
  const { sources } = await ask(ports, context(), question({ collections: ['default', 'winds'] }))
  expect(sources).toMatchObject([{ collection: 'winds' }])
  expect((await ask(ports, context(), question({ collections: ['default'] }))).sources).toEqual([])
  const before = await balance()
  await expect(ask(ports, context(), question({ collections: ['winds', 'rains'] }))).rejects.toThrow(
    CollectionNotFound,
  )
  expect(await balance()).toEqual(before)
})

test('the most it can cost is charged first, and what was not used is refunded', async () => {
  pieces = Array.from({ length: 2_600 }, () => 'x ')
  const { cost, price } = await ask(ports, context(), question({ maxTokens: 4_096 }))
  expect(formatUsd(price.tokens)).toBe('0.00104')
  expect(formatUsd(cost)).toBe('0.01104')
  expect(await balance()).toEqual({ balance: '0.98896', open: 0 })
})

test('a model that says more than it may is not paid for it', async () => {
  pieces = Array.from({ length: 30 }, () => 'x ')
  const { usage } = await ask(ports, context(), question({ maxTokens: 10 }))
  expect(usage.outputTokens).toBe(10)
})

test.each([
  ['of its own', { query: 'x '.repeat(100_001) }],
  ['with context and instructions', { context: 'x '.repeat(50_000), systemPrompt: 'x '.repeat(50_000) }],
  ['with the item', { context: 'x '.repeat(99_997), mediaId: `vec-${mediaId}` }],
  ['in one word, which is one token', { context: 'x'.repeat(800_000) }],
])('too much input %s is refused for free', async (_, changes) => {
  await expect(ask(ports, context(), question(changes))).rejects.toThrow(InvalidInput)
  expect(await balance()).toEqual({ balance: '1', open: 0 })
})

test('passages that the client did not name are left out where there is no room', async () => {
  await ask(ports, context(), question({ context: 'x '.repeat(99_998) }))
  expect(asked[0]!.passages).toEqual([])
})

test('a failure refunds all, also in the middle of a stream', async () => {
  failAt = 1
  await expect(ask(ports, context(), question())).rejects.toThrow(EngineUnavailable)
  const heard = listener(9)
  await expect(ask(ports, context(), question(), heard)).rejects.toThrow(EngineUnavailable)
  expect(heard.heard).toEqual(['The '])
  expect(await balance()).toEqual({ balance: '1', open: 0 })
})

test('a client that disconnects before anything was delivered pays nothing, and may use the key again', async () => {
  await expect(ask(ports, context(), question({ idempotencyKey: 'k' }), listener(0))).rejects.toThrow('gone')
  expect(await balance()).toEqual({ balance: '1', open: 0 })
  expect((await ask(ports, context(), question({ idempotencyKey: 'k' }))).replayed).toBe(false)
})

test('a caller who leaves before the first piece pays for what was sent to a provider', async () => {
  isSent = true
  const { usage } = await ask(ports, context(), question(), listener(0))
  expect(usage.outputTokens).toBe(0)
  expect(await balance()).toEqual({ balance: '0.99', open: 0 })
  await ask(ports, context(), question({ idempotencyKey: 'k' }), listener(0))
  expect(await balance()).toEqual({ balance: '0.98', open: 0 })
  const again = await ask(ports, context(), question({ idempotencyKey: 'k' }))
  expect(again).toMatchObject({ replayed: true, text: 'The wind blew.' })
  expect(await balance()).toEqual({ balance: '0.98', open: 0 })
})

test('a provider that was sent the question and failed is not paid for', async () => {
  isSent = true
  failAt = 0
  await expect(ask(ports, context(), question(), listener(9))).rejects.toThrow(EngineUnavailable)
  expect(await balance()).toEqual({ balance: '1', open: 0 })
})

test('a client that disconnects in the middle pays for what was delivered', async () => {
  pieces = Array.from({ length: 4_000 }, () => 'x ')
  const { usage } = await ask(ports, context(), question({ maxTokens: 4_096 }), listener(2))
  expect(usage.outputTokens).toBe(2)
  expect(await balance()).toEqual({ balance: '0.99', open: 0 })
  expect(kept.size).toBe(0)
})

test('a client that disconnects in the middle with a key pays for all of it, and receives it under the same key', async () => {
  pieces = Array.from({ length: 4_000 }, () => 'x ')
  const command = question({ maxTokens: 4_096, idempotencyKey: 'k' })
  const left = listener(2)
  const { usage } = await ask(ports, context(), command, left)
  expect(left.heard).toHaveLength(2)
  expect(usage.outputTokens).toBe(4_000)
  expect(await balance()).toEqual({ balance: '0.9884', open: 0 })
  const heard = listener(9)
  const again = await ask(ports, context(), command, heard)
  expect(again.replayed).toBe(true)
  expect(heard.heard.join('')).toHaveLength(8_000)
  expect(await balance()).toEqual({ balance: '0.9884', open: 0 })
})

test.each([
  ['about an item', grounded],
  ['about the library', question],
])(
  'a repeat %s is the answer as it was, not made again, and gone with what it was made from',
  async (_, make) => {
    const command = make({ idempotencyKey: 'k' })
    const first = await ask(ports, context(), command)
    pieces = ['Something ', 'else.']
    retrieved = []
    const dearer = { ...DEFAULT_PRICES, RAG_QUERY: usd('0.5'), LLM_QUERY_: usd('0.5') }
    ports = { ...ports, settings: { ...ports.settings, prices: dearer } }
    for (let times = 0; times < 3; times++) {
      const again = await ask(ports, context(), command)
      expect(again).toEqual({ ...first, replayed: true })
    }
    expect(asked).toHaveLength(1)
    expect(retrieved).toEqual([])
    const stored = library.get(accountId)!
    library.set(accountId, { ...stored, ingestId: newId() })
    await expect(ask(ports, context(), command)).rejects.toThrow(ReplayGone)
    library.delete(accountId)
    await expect(ask(ports, context(), command)).rejects.toThrow(ReplayGone)
    library.set(accountId, stored)
    expect((await ask(ports, context(), command)).text).toBe(first.text)
    kept.clear()
    await expect(ask(ports, context(), command)).rejects.toThrow(ReplayGone)
    expect(await balance()).toEqual({ balance: '0.99', open: 0 })
  },
)

test('what is kept for a repeat cannot be read without the passages and the question', async () => {
  await ask(ports, context(), grounded({ idempotencyKey: 'k' }))
  const [sealed] = kept.values()
  expect(Buffer.from(sealed!).toString('latin1')).not.toMatch(/wind|blew/)
  expect(unseal(sealed!, [JSON.stringify({ query: 'What blew?' }), 'Head', 'The wind blew.'])).toBeNull()
  const { idempotencyKey: _, ...fields } = grounded()
  expect(unseal(sealed!, [JSON.stringify(fields), 'Head', 'Something else.'])).toBeNull()
  expect(unseal(sealed!, [JSON.stringify(fields), 'Head', 'The wind blew.'])).toMatchObject({
    text: 'The wind blew.',
  })
})

test('an answer that cannot be kept is refunded, and its key is free', async () => {
  const command = question({ idempotencyKey: 'k' })
  const full = new EngineUnavailable('kept answers', 'full')
  const put = vi.spyOn(ports.keptAnswers, 'put').mockRejectedValueOnce(full)
  await expect(ask(ports, context(), command)).rejects.toThrow(EngineUnavailable)
  expect(await balance()).toEqual({ balance: '1', open: 0 })
  expect((await ask(ports, context(), command)).replayed).toBe(false)
  expect(put).toHaveBeenCalledTimes(2)
})

test('an account without money is refused before any search, but after the request was checked', async () => {
  const poor = newId()
  library.set(poor, library.get(accountId)!)
  await expect(ask(ports, context(poor), question())).rejects.toThrow(InsufficientFunds)
  await expect(ask(ports, context(poor), grounded())).rejects.toThrow(InsufficientFunds)
  const suspended = context()
  suspended.principal.status = 'suspended'
  await expect(ask(ports, suspended, grounded())).rejects.toThrow(AccountSuspended)
  expect(retrieved).toEqual([])
  await expect(ask(ports, context(poor), grounded({ mediaId: `vec-${newId()}` }))).rejects.toThrow(
    MediaItemNotFound,
  )
  await expect(ask(ports, context(poor), question({ context: 'x '.repeat(100_001) }))).rejects.toThrow(
    InvalidInput,
  )
})

test('neither question nor passages are in the log', async () => {
  await ask(ports, context(), grounded({ idempotencyKey: 'k', context: 'quagmire' }))
  const events: string[] = []
  for await (const event of store.readAll(0)) events.push(JSON.stringify(event))
  expect(events.length).toBeGreaterThan(3)
  expect(events.join('\n')).not.toMatch(/quagmire|blew/)
})
