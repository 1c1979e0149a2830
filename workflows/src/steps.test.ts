import {
  encodeUnderstood,
  newId,
  type IngestJob,
  type IngestRef,
  type Understood,
} from '@medialog/application'
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
let read = 0
let steps: ReturnType<typeof makeSteps>
beforeEach(() => {
  stored = new Map()
  read = 0
  steps = makeSteps({
    clock: { now: () => 1_000 },
    understanding: {
      understand: async () => {
        read++
        return understood
      },
    },
    artifacts: {
      put: async (_: IngestRef, name: string, bytes: Uint8Array) => {
        stored.set(name, bytes)
        return { sha256: createHash('sha256').update(bytes).digest('hex'), size: bytes.length }
      },
      get: async ({ ingestId }: IngestRef, name: string) =>
        (ingestId === job.ingestId && stored.get(name)) || null,
    },
  } as unknown as IngestPorts)
})

test('what an earlier run of the ingest stored is not made, and not paid a provider for, again', async () => {
  const record = await steps.understandAndStore(job)
  expect(record).toMatchObject({ enricher: 'compatible:llama + medialog-offline-2', embedder: 'm' })
  expect(await steps.understandAndStore(job)).toEqual(record)
  expect(read).toBe(1)
  await steps.understandAndStore({ ...job, ingestId: newId() })
  expect(read).toBe(2)
})

test.each(encodeUnderstood(understood).map(({ name }) => name))(
  'a file is read again where %s is missing or damaged',
  async (name) => {
    const record = await steps.understandAndStore(job)
    stored.delete(name)
    expect(await steps.understandAndStore(job)).toEqual(record)
    stored.set(name, stored.get(name)!.subarray(0, 30))
    expect(await steps.understandAndStore(job)).toEqual(record)
    expect(read).toBe(3)
  },
)
