import {
  encodeUnderstood,
  newId,
  type IngestJob,
  type IngestRef,
  type Understood,
} from '@medialog/application'
import { ClaimLost, type Media } from '@medialog/domain'
import { createHash } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import type { IngestPorts } from './ports.ts'
import { makeSteps } from './steps.ts'

const understood: Understood = {
  extraction: {
    format: 'txt',
    mediaType: 'document',
    text: 'words',
    title: null,
    author: null,
    language: null,
    sections: [],
    tables: [],
    figureCount: 0,
    facts: { mediaType: 'document', pageCount: null, wordCount: 1 },
    truncated: false,
    warnings: [],
  },
  enrichment: {
    summary: 'words',
    description: '',
    topics: [],
    keywords: [],
    categories: [],
    emotions: [],
    entities: { people: [], organizations: [], locations: [], objects: [], concepts: [] },
    quality: { clarity: 1, completeness: 1, relevance: 1, technical: 1 },
    model: 'compatible:llama + medialog-offline-2',
  },
  chunks: [{ text: 'words', start: 0, end: 0 }],
  vectors: {
    model: 'm',
    dimensions: 2,
    combined: Float32Array.of(1, 0),
    short: Float32Array.of(1),
    chunks: [Float32Array.of(1, 0)],
  },
}

const job = {
  accountId: newId(),
  mediaId: newId(),
  jobId: newId(),
  ingestId: newId(),
  staged: { path: '/nowhere', size: 5, sha256: '0'.repeat(64) },
  filename: 'a.txt',
  format: { name: 'txt', mediaType: 'document' },
} as unknown as IngestJob

let stored: Map<string, Uint8Array>
/** As the item's stream has it. */
let item: Pick<Media, 'claim' | 'ended' | 'item'>
/** Whether the job's charge is. */
let isOpen = true
interface ExecuteOptions {
  select?: (state: object) => unknown
}
let read = 0
/** What a model makes of the file: never quite the same. */
let summary = 'words'
let beforePut = (): void => undefined
let steps: ReturnType<typeof makeSteps>
beforeEach(() => {
  stored = new Map()
  item = { claim: null, ended: new Map(), item: null }
  read = 0
  summary = 'words'
  beforePut = () => undefined
  steps = makeSteps({
    clock: { now: () => 1_000 },
    understanding: {
      understand: async () => {
        read++
        return { ...understood, enrichment: { ...understood.enrichment, summary } }
      },
    },
    streams: {
      peek: () => undefined,
      load: async (_category: string, _id: string, select: (state: object) => unknown) => ({
        selected: select({ ...item, generations: new Map() }),
      }),
      execute: async (_: string, __: string, ___: object, ____: object, { select }: ExecuteOptions = {}) => ({
        selected: select?.({ ...item, balance: 5n, charges: new Map([[job.jobId, { open: isOpen }]]) }),
        events: [],
        position: 0,
      }),
    },
    // No stream has the item.
    eventStore: { read: () => [] },
    artifacts: {
      names: async ({ ingestId }: IngestRef) => (ingestId === job.ingestId ? [...stored.keys()] : []),
      retain: async (_: IngestRef, names: readonly string[]) => {
        for (const name of stored.keys()) if (!names.includes(name)) stored.delete(name)
      },
      deleteIngest: async () => stored.clear(),
      put: async (_: IngestRef, name: string, bytes: Uint8Array) => {
        beforePut()
        stored.set(name, bytes)
        return { sha256: createHash('sha256').update(bytes).digest('hex'), size: bytes.length }
      },
      get: async ({ ingestId }: IngestRef, name: string) =>
        (ingestId === job.ingestId && stored.get(name)) || null,
    },
  } as unknown as IngestPorts)
})

test('what an earlier run of the ingest stored is not made, and not paid a provider for, again', async () => {
  const record = await steps.understand(job)
  expect(record).toMatchObject({ enricher: 'compatible:llama + medialog-offline-2', embedder: 'm' })
  expect(await steps.understand(job)).toEqual(record)
  expect(read).toBe(1)
  await steps.understand({ ...job, ingestId: newId() })
  expect(read).toBe(2)
})

test.each(encodeUnderstood(understood).map(({ name }) => name))(
  'a file is read again where %s is missing or damaged',
  async (name) => {
    const record = await steps.understand(job)
    stored.delete(name)
    expect(await steps.understand(job)).toEqual(record)
    stored.set(name, stored.get(name)!.subarray(0, 30))
    expect(await steps.understand(job)).toEqual(record)
    expect(read).toBe(3)
  },
)

test('an attempt that comes after the record of another leaves that one’s artifacts as they were, and none of its own', async () => {
  const { artifacts } = await steps.understand(job)
  const recorded = new Map(stored)
  stored.clear()
  summary = 'other words'
  beforePut = () => {
    beforePut = () => undefined
    for (const [name, bytes] of recorded) stored.set(name, bytes)
    item = { claim: null, ended: new Map([[job.ingestId, 'recorded']]), item: { ...job, artifacts } as never }
  }
  await steps.understand(job)
  expect(read).toBe(2)
  expect(stored).toEqual(recorded)
})

test('an attempt that comes after the ingest was released or its item deleted leaves nothing', async () => {
  item = { claim: null, ended: new Map([[job.ingestId, 'released']]), item: null }
  await expect(steps.understand(job)).rejects.toBeInstanceOf(ClaimLost)
  expect(stored.size).toBe(0)
  item = { claim: null, ended: new Map([[job.ingestId, 'recorded']]), item: null }
  await steps.understand(job)
  expect(stored.size).toBe(0)
})

test('an item that was deleted between its record and the record’s repeat leaves nothing', async () => {
  const record = await steps.understand(job)
  expect(stored.size).toBeGreaterThan(0)
  item = { claim: null, ended: new Map([[job.ingestId, 'recorded']]), item: null }
  const repeated = {
    ...job,
    batchId: null,
    collection: 'x',
    overwrite: false,
    price: [],
  } as unknown as IngestJob
  await steps.finish(repeated, { startedAt: 0, newBalance: 0n }, record)
  expect(stored.size).toBe(0)
})

test('a claim taken again after its refund, and the erasing of its release, is not worked on for nothing', async () => {
  const { ingestId, jobId } = job
  const begun = () => steps.begin({ ...job, batchId: null, requestStream: null })
  item.claim = { ingestId, jobId, claims: 1 }
  isOpen = false
  await expect(begun()).rejects.toThrow(ClaimLost)
  isOpen = true
  expect(await begun()).toMatchObject({ newBalance: 5n })
  item.claim = null
  item.ended.set(ingestId, 'recorded')
  isOpen = false
  expect(await begun()).toMatchObject({ newBalance: 5n })
})
