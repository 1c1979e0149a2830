import { DEFAULT_COLLECTION, type BatchIntent, type BatchJob } from '@medialog/domain'
import { sum, type LogPosition, type MediaType, type Money, type Uuid } from '@medialog/kernel'
import { settleRefund } from '../billing/charging.ts'
import { refuseClosed, refuseSuspended, refuseUnpayable } from '../billing/paying.ts'
import { ingestPrice } from '../billing/prices.ts'
import type { Quota } from '../billing/quota.ts'
import type { RequestContext } from '../core/context.ts'
import { mediaIdOf, newId, requestStreamOf } from '../core/ids.ts'
import { originOf } from '../core/origin.ts'
import type { Ports } from '../core/ports.ts'
import { settleReads } from '../core/read-your-writes.ts'
import { unlessAway } from '../core/unless-away.ts'
import { presentItems } from '../library/present-items.ts'
import type { StagedFile } from '../ports/index.ts'
import { once, placeAsked, requireKey } from '../requests/idempotency.ts'
import type { Fate } from '../requests/request-key.ts'
import type { Backlog } from './backlog.ts'
import { estimatedSeconds } from './batch-estimate.ts'
import { submittedBatch } from './submitted-batch.ts'

export type CreatePorts = Pick<
  Ports,
  | 'streams'
  | 'eventStore'
  | 'orchestrator'
  | 'batches'
  | 'staging'
  | 'understanding'
  | 'settings'
  | 'clock'
  | 'background'
  | 'projections'
  | 'catalog'
>

export interface CreateBatch {
  files: readonly { filename: string; staged: StagedFile }[]
  /** Null: `default` or, when overwriting, where each item is. */
  collection: string | null
  overwrite: boolean
  name: string | null
  idempotencyKey?: string
}

export interface CreatedBatch {
  batchId: Uuid
  replayed: boolean
  intent: BatchIntent
  collection: string
  charged: { total: Money; processing: Partial<Record<MediaType, Money>>; storage: Money }
  estimatedSeconds: number
  position: LogPosition
}

/** What a replay is made from, besides the batch's own stream. */
export interface BatchAnswer {
  [key: string]: string | number
  batchId: string
  estimatedSeconds: number
  position: number
}

/**
 * Makes a batch of staged files: intent → charge → created, then its work begins. The batch has the id of the request,
 * and its charge the id of the batch, so that what a crash leaves open is found from any of them.
 */
export async function createBatch(
  ports: CreatePorts,
  { backlog, quota }: { backlog: Backlog; quota: Quota },
  context: RequestContext,
  command: CreateBatch,
): Promise<CreatedBatch> {
  const { staging, eventStore } = ports
  const { accountId } = context.principal
  const { files, idempotencyKey } = command
  const requestStream = idempotencyKey === undefined ? null : requestStreamOf(accountId, idempotencyKey)
  /** From the intent on the staged files are the batch's. */
  let handedOver = false
  /** What this request made. */
  let made: BatchIntent | null = null
  try {
    const { answer, replayed } = await once(ports, {
      accountId,
      requestId: context.requestId,
      origin: originOf(context),
      stream: requestStream,
      fingerprint: fingerprintOf(command),
      work: async () => {
        // Also where nothing would be charged: what it writes is kept permanently.
        refuseSuspended(context)
        const intent = await intentOf(ports, context, command)
        const make = async (): Promise<BatchAnswer> => {
          await refuseClosed(ports, context)
          handedOver = true
          const answer = await submit(ports, context, intent, requestStream)
          made = intent
          await settleReads(ports, answer.position)
          return answer
        }
        const toWorkOn = jobsToWorkOn(intent)
        if (toWorkOn.length === 0) return make()
        await refuseUnpayable(ports, quota, context, costOf(intent))
        const bytes = toWorkOn.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
        const open = { batchId: intent.batchId, jobs: toWorkOn.length, bytes }
        return backlog.admit(context.principal, open, make)
      },
      fateOf: (requestId) => fateOf(ports, requestId),
    })
    await settleReads(ports, answer.position)
    const intent = made ?? (await submittedBatch(eventStore, answer.batchId))!.intent
    return { ...answer, ...describe(intent), intent, replayed }
  } finally {
    if (!handedOver) await Promise.all(files.map(({ staged }) => staging.release(staged.id)))
  }
}

function fingerprintOf({ files, collection, overwrite, name }: CreateBatch): string {
  const place = placeAsked(collection, overwrite)
  return JSON.stringify(['batch', place, overwrite, name, ...files.map(({ staged }) => staged.sha256)])
}

async function intentOf(
  ports: CreatePorts,
  { principal: { accountId }, requestId: batchId }: RequestContext,
  { files, collection, overwrite, name }: CreateBatch,
): Promise<BatchIntent> {
  const { understanding, settings, clock } = ports
  const mediaIds = files.map(({ staged }) => mediaIdOf(accountId, staged.sha256))
  // What is not known to be there now is found out by its job.
  const stored = overwrite ? [] : ((await unlessAway(presentItems(ports, accountId, mediaIds))) ?? [])
  const known = new Set(stored.map((item) => item.mediaId))
  const jobs = files.map(({ filename, staged }, index): BatchJob => ({
    jobId: newId(),
    mediaId: mediaIds[index]!,
    stagedId: staged.id,
    filename,
    mediaType: understanding.identify(filename, staged.head).mediaType,
    sizeBytes: staged.size,
    sha256: staged.sha256,
    duplicate: known.has(mediaIds[index]!),
  }))
  const price = ingestPrice(settings.prices)
  return { accountId, batchId, name, collection, overwrite, price, jobs, at: clock.now() }
}

/** Once the intent is written, whatever goes wrong gives it up again: nothing is left of it, or it is a batch. */
async function submit(
  ports: CreatePorts,
  context: RequestContext,
  intent: BatchIntent,
  requestStream: Uuid | null,
): Promise<BatchAnswer> {
  const { streams, orchestrator, clock } = ports
  const { accountId, batchId, jobs } = intent
  const origin = originOf(context)
  const toPay = jobsToWorkOn(intent).length
  let created: { position: LogPosition } | null = null
  try {
    const unnamed = jobs.map((job) => ({ ...job, filename: '' }))
    await streams.execute('batch', batchId, { type: 'SubmitBatch', ...intent, jobs: unnamed }, origin)
    if (toPay > 0)
      await streams.execute(
        'ledger',
        accountId,
        {
          type: 'Charge',
          chargeId: batchId,
          lines: intent.price.map(({ price, amount }) => ({ price, amount: amount * BigInt(toPay) })),
          cause: { operation: 'batch', requestId: context.requestId, batchId },
          at: clock.now(),
        },
        origin,
      )
    await requireKey(ports, { requestStream, requestId: batchId })
    const names = jobs.map(({ jobId, filename }) => ({ jobId, filename }))
    // Last, so that of a batch that was refused nothing is named.
    await streams.execute('files', batchId, { type: 'NameFiles', accountId, names, at: clock.now() }, origin)
    const create = { type: 'CreateBatch', at: clock.now() } as const
    created = await streams.execute('batch', batchId, create, origin)
  } catch (error) {
    const staged = jobs.map((job) => job.stagedId)
    if ((await orchestrator.abandonBatch(batchId, staged)) !== 'created') {
      await unlessAway(settleRefund(ports, accountId, batchId))
      throw error
    }
  }
  orchestrator.startBatch(batchId)
  return batchAnswer(ports, intent, created)
}

async function batchAnswer(
  { streams, orchestrator, batches }: CreatePorts,
  intent: BatchIntent,
  created: { position: LogPosition } | null,
): Promise<BatchAnswer> {
  const { accountId, batchId } = intent
  const meanJobMs = await unlessAway(batches.meanJobMs(accountId))
  const { position } = created ?? (await streams.load('batch', batchId, () => undefined))
  const jobs = jobsToWorkOn(intent).length
  return {
    batchId,
    estimatedSeconds: estimatedSeconds(jobs, meanJobMs, orchestrator.batchJobsAtOnce),
    position,
  }
}

/** The outcome of the same batch when it was sent before: it had the id of that request. */
async function fateOf(ports: CreatePorts, requestId: Uuid): Promise<Fate<BatchAnswer>> {
  const { streams, eventStore, orchestrator } = ports
  const { selected: status } = await streams.load('batch', requestId, (batch) => batch.status)
  if (status === 'unknown') return 'untold'
  if (status === 'submitted') return 'open'
  if (status === 'rejected' || status === 'erased') return 'over'
  const { intent } = (await submittedBatch(eventStore, requestId))!
  // A batch that was started is not given up any more: this response names it.
  if (status === 'created') orchestrator.startBatch(requestId)
  return { answer: await batchAnswer(ports, intent, null) }
}

/** All but the duplicates, which are skipped and free. */
const jobsToWorkOn = ({ jobs }: BatchIntent): BatchJob[] => jobs.filter(({ duplicate }) => !duplicate)

const costOf = (intent: BatchIntent): Money =>
  sum(intent.price.map(({ amount }) => amount)) * BigInt(jobsToWorkOn(intent).length)

/** Where it goes, and what it is charged by what. */
function describe(intent: BatchIntent): Pick<CreatedBatch, 'collection' | 'charged'> {
  const processing: Partial<Record<MediaType, Money>> = {}
  let storage = 0n
  for (const { mediaType } of jobsToWorkOn(intent))
    for (const { price, amount } of intent.price)
      if (price === 'VECTOR_PROCESSING') storage += amount
      else processing[mediaType] = (processing[mediaType] ?? 0n) + amount
  return {
    collection: intent.collection ?? DEFAULT_COLLECTION,
    charged: { total: costOf(intent), processing, storage },
  }
}
