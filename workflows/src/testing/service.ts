import { createHash } from 'node:crypto'
import {
  createBackground,
  createStreams,
  DEFAULT_PRICES,
  EngineUnavailable,
  newId,
  SYSTEM,
  type IngestJob,
  type Orchestrator,
} from '@medialog/application'
import type { CatalogItem, Staging, UnderstandOptions, Understood } from '@medialog/application/ports'
import type { BatchIntent, BatchJob, JobOutcome } from '@medialog/domain'
import { usd, type Money, type RecordedEvent, type Uuid } from '@medialog/kernel'
import { createMemoryArtifacts } from '@medialog/projections/testing/memory-artifacts'
import { MemoryEventStore } from '@medialog/projections/testing/memory-event-store'
import { TEXT_FORMAT, understoodOf } from '@medialog/projections/testing/history'
import type { RecoveryPorts } from '../ports.ts'
import { createInProcessOrchestrator } from '../runner.ts'
import { createMemoryWork } from './memory-work.ts'

export const ACCOUNT = '0190d3c2-6f0e-7b1a-9c1d-2f6f5f0a7b11'
const PRICE_LINES = [{ price: 'DOCUMENT_PROCESSING', amount: usd('0.04') }]

/** Reads a file: what it finds, or throws, is the test's. `text` is the file's content. */
export type Understand = (
  text: string,
  signal: AbortSignal | undefined,
  onProgress?: (share: number) => void,
) => Promise<Understood>

export type Work = Awaited<ReturnType<typeof startWork>>

/**
 * What an orchestrator uses, in memory, `credit` USD on the account's books: the log and the deciders are the real ones, files are their own
 * text, and readers see everything at once.
 */
export async function startWork(
  understand: Understand = async (text) => understoodOf(text),
  { credit = '100' }: { credit?: string } = {},
) {
  const eventStore = new MemoryEventStore()
  const clock = { now: () => Date.now() }
  const streams = createStreams(eventStore, clock)
  const artifacts = createMemoryArtifacts()
  const staged = new Map<Uuid, string>()
  const vectors = { used: 0 }
  const notUsed = (): never => {
    throw new Error('not used here')
  }
  const reopen: Staging['reopen'] = async (id) => {
    const text = staged.get(id)
    if (text === undefined) throw new Error(`no staged file ${id}`)
    return { id, path: text, size: text.length, head: Buffer.from(text) }
  }
  const ports = {
    eventStore,
    streams,
    clock,
    artifacts,
    background: createBackground(() => undefined),
    staging: {
      stage: notUsed,
      reopen,
      release: async (id: Uuid) => void staged.delete(id),
      sweep: async (neededOf: (ids: readonly Uuid[]) => Promise<ReadonlySet<Uuid>>) => {
        const needed = await neededOf([...staged.keys()])
        for (const id of staged.keys()) if (!needed.has(id)) staged.delete(id)
        return 0
      },
    },
    understanding: {
      identify: () => TEXT_FORMAT,
      understand: ({ path }: { path: string }, { signal, onProgress }: UnderstandOptions) =>
        understand(path, signal, onProgress),
      close: async () => {},
    },
    catalog: {
      async item(_accountId: Uuid, mediaId: Uuid) {
        const { selected } = await streams.load('media', mediaId, ({ item }) => item !== null)
        return selected ? ({ mediaId, collection: 'default' } as CatalogItem) : null
      },
      storage: async () => ({ vectors: vectors.used, bytes: 0 }),
    },
    projections: { reached: async () => true },
    settings: {
      prices: DEFAULT_PRICES,
      quotas: { free: 1, standard: 100, enterprise: 1000 },
      mostVectors: 1000,
      readYourWritesMs: 1_000,
    },
    work: createMemoryWork(eventStore),
  } as unknown as RecoveryPorts
  await streams.execute(
    'account',
    ACCOUNT,
    { type: 'OpenAccount', accountId: ACCOUNT, name: 'dev', tier: 'standard', at: clock.now() },
    SYSTEM,
  )
  await streams.execute(
    'ledger',
    ACCOUNT,
    { type: 'Credit', creditId: 'opening', amount: usd(credit), reference: null, at: clock.now() },
    SYSTEM,
  )

  /**
   * A batch of these texts, submitted, `paid` for and created; no job has begun. Those that are `stored`
   * already are free.
   */
  async function createBatch(
    texts: readonly string[],
    stored: readonly string[] = [],
    {
      paid = 'and created',
      overwrite = false,
    }: { paid?: 'and created' | 'but not created'; overwrite?: boolean } = {},
  ): Promise<BatchIntent> {
    const batchId = newId()
    const price = PRICE_LINES
    const jobs = texts.map((text, index): BatchJob => {
      const stagedId = newId()
      staged.set(stagedId, text)
      return {
        jobId: newId(),
        mediaId: mediaIdOf(text),
        stagedId,
        filename: `${index}.txt`,
        mediaType: 'document',
        sizeBytes: text.length,
        sha256: sha256(text),
        duplicate: stored.includes(text),
      }
    })
    const at = clock.now()
    const intent = {
      accountId: ACCOUNT,
      batchId,
      name: null,
      collection: null,
      overwrite,
      price,
      jobs,
      at,
    }
    const origin = { ...SYSTEM, accountId: ACCOUNT, requestId: batchId }
    await streams.execute('batch', batchId, { type: 'SubmitBatch', ...intent }, origin)
    const toPay = BigInt(jobs.filter(({ duplicate }) => !duplicate).length)
    const lines = price.map((line) => ({ ...line, amount: line.amount * toPay }))
    const charge = {
      type: 'Charge',
      chargeId: batchId,
      lines,
      cause: { operation: 'batch', batchId },
      at,
    } as const
    if (toPay > 0n) await streams.execute('ledger', ACCOUNT, charge, origin)
    if (paid === 'and created') await streams.execute('batch', batchId, { type: 'CreateBatch', at }, origin)
    return intent
  }

  /** An upload of this text that was staged; `key` is the request stream of an Idempotency-Key. */
  function upload(text: string, { key = null }: { key?: Uuid | null } = {}): IngestJob {
    const id = newId()
    staged.set(id, text)
    const jobId = newId()
    return {
      actor: 'key',
      accountId: ACCOUNT,
      requestId: jobId,
      jobId,
      ingestId: jobId,
      requestStream: key,
      batchId: null,
      mediaId: mediaIdOf(text),
      staged: { id, path: text, size: text.length, sha256: sha256(text) },
      filename: 'upload.txt',
      format: TEXT_FORMAT,
      collection: null,
      overwrite: false,
      price: PRICE_LINES,
    }
  }

  /** The batch's stream. */
  async function eventsOf({ batchId }: BatchIntent): Promise<RecordedEvent[]> {
    const events: RecordedEvent[] = []
    for await (const event of eventStore.read(`batch-${batchId}`)) events.push(event)
    return events
  }

  return {
    ports,
    streams,
    staged,
    artifacts,
    vectors,
    createBatch,
    upload,
    start: (mostBatchJobs = 4): Orchestrator => createInProcessOrchestrator(ports, { mostBatchJobs }),
    cancel: (batchId: Uuid) =>
      streams.execute('batch', batchId, { type: 'CancelBatch', at: clock.now() }, SYSTEM, {
        select: (batch) => batch.status,
      }),
    /** Status of the batch and of its jobs, in their order; null for one that has not ended. */
    async stateOf({
      batchId,
      jobs,
    }: BatchIntent): Promise<{ status: string; jobs: (JobOutcome['status'] | null)[] }> {
      const { selected } = await streams.load('batch', batchId, (batch) => ({
        status: batch.status,
        jobs: jobs.map(({ jobId }) => batch.jobs.get(jobId) ?? null),
      }))
      return selected
    },
    eventsOf,
    /** Codes of the jobs that failed, in the order in which they did. */
    codesOf: async (intent: BatchIntent): Promise<unknown[]> =>
      (await eventsOf(intent)).filter(({ type }) => type === 'JobFailed').map(({ data }) => data.code),
    /** What was charged and not refunded, and how many charges are still open. */
    async books(): Promise<{ net: Money; open: number }> {
      const { selected } = await streams.load('ledger', ACCOUNT, ({ totals, charges }) => ({
        net: totals.charged - totals.refunded,
        open: [...charges.values()].filter(({ open }) => open).length,
      }))
      return selected
    },
  }
}

export const PRICE = usd('0.04')
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** An item's id by its content. */
export function mediaIdOf(text: string): Uuid {
  const hex = sha256(text)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** An engine that is unavailable so many times, then available. */
export function awayFor(times: number, engine: string): Understand {
  let left = times
  return async (text) => {
    if (left-- > 0) throw new EngineUnavailable(engine, 'away')
    return understoodOf(text)
  }
}
