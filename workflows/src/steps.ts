import { answerOf } from '@medialog/application/ingest/ingest-answer'
import {
  encodeUnderstood,
  moveLateItem,
  nameEndedItem,
  originFrom,
  recordedAnswer,
  requireCatalog,
  requireKey,
  readUnderstood,
  unlessAway,
  type CatalogItem,
  type IngestAnswer,
  type IngestJob,
  type IngestOutcome,
  type IngestRef,
  type UnderstandOptions,
} from '@medialog/application'
import {
  ClaimLost,
  DEFAULT_COLLECTION,
  DuplicateMedia,
  isEnded,
  placeIn,
  refundOfCharge,
  type Batch,
  type IngestRecord,
  type Media,
  type Place,
} from '@medialog/domain'
import { BEGINNING, sum, type LogPosition, type Money, type Revision, type Uuid } from '@medialog/kernel'
import type { IngestPorts } from './ports.ts'
import { jobRef, type JobRef } from './refs.ts'
import { stateOf } from './state-of.ts'
import { JobStopped } from './stopping.ts'

/**
 * The steps of the ingest saga: claim and charge → understand and store → record, complete and settle; or release and refund.
 * Each may be run again after a crash at any line of it: what was done once is not done twice, because the stream that it
 * writes to decides.
 */
export interface Steps {
  /**
   * Claims the item for the job, and charges its account. A job of a batch was paid for with it.
   * @throws DuplicateMedia, IngestInProgress; InsufficientFunds, AccountIsClosed; ClaimLost, or EngineUnavailable where its key
   * went to a repeat: what was given up is not paid for
   */
  begin(job: IngestJob): Promise<Begun>
  /**
   * Reads the file and stores what is known of it as artifacts; answers the part of the record about them. An attempt that took so
   * long that another ended the ingest leaves no artifact of its own. @throws ClaimLost where it was released
   */
  understand(job: IngestJob, work?: StepWork): Promise<IngestRecord>
  /**
   * Records the item: from here on it is there. Then its request is completed, and its charge settled; `owed` where an engine
   * is unavailable for that. @throws ClaimLost, JobStopped when the job was given up meanwhile
   */
  finish(job: IngestJob, begun: Begun, record: IngestRecord): Promise<Finished>
  /**
   * Ends the job by what its item's stream says. Recorded: the request is completed and the charge settled. Not: the claim is
   * released, so that nothing made under it can be recorded any more, and the charge refunded after that.
   */
  end(job: JobRef, reason: string): Promise<'recorded' | 'released'>
}

export type StepWork = Pick<UnderstandOptions, 'signal' | 'onProgress'>

/** `newBalance`: after the charge; of a job of a batch no answer has it. */
export interface Begun {
  startedAt: number
  newBalance: Money
}

export interface Finished {
  outcome: IngestOutcome
  owed: boolean
}

/** `isShared`: other processes work on the same jobs, and an attempt that counts as lost may still be running. */
export function makeSteps(ports: IngestPorts, { isShared = false } = {}): Steps {
  async function claim(job: IngestJob): Promise<'claimed' | 'recorded'> {
    const { accountId, mediaId, jobId, ingestId, batchId, overwrite, staged } = job
    const at = ports.clock.now()
    const { sha256 } = staged
    const claimWith = async (dead: Uuid | null): Promise<'claimed' | 'recorded'> => {
      const ids = { accountId, ingestId, jobId, batchId, sha256 }
      const command = { type: 'ClaimIngest', ...ids, overwrite, dead, at } as const
      const select = ({ ended }: Pick<Media, 'ended'>) => ended.get(ingestId)
      const { selected } = await ports.streams.execute('media', mediaId, command, originFrom(job), { select })
      return selected === 'recorded' ? 'recorded' : 'claimed'
    }
    // An item that the claim would replace must be known to be dead before; one that refuses the claim is looked at then.
    if (overwrite) return claimWith(await deadIngest(ports, job))
    try {
      return await claimWith(null)
    } catch (error) {
      const dead = error instanceof DuplicateMedia ? await deadIngest(ports, job) : null
      if (dead === null) throw error
      return claimWith(dead)
    }
  }

  async function charge(job: IngestJob, end: 'claimed' | 'recorded'): Promise<Money> {
    const { accountId, mediaId, jobId, requestId, price: lines } = job
    await requireKey(ports, job)
    const chargeId = chargeIdOf(job)
    const cause = { operation: 'upload', requestId, jobId, mediaId } as const
    const command = { type: 'Charge', chargeId, lines, cause, at: ports.clock.now() } as const
    const { selected } = await ports.streams.execute('ledger', accountId, command, originFrom(job), {
      select: ({ balance, charges }) => ({ newBalance: balance, isOpen: charges.get(chargeId)!.open }),
    })
    // The claim was released a moment ago, and the charge refunded, before it was made if need be.
    if (end === 'claimed' && !selected.isOpen) throw new ClaimLost()
    return selected.newBalance
  }

  async function record(
    job: IngestJob,
    record: IngestRecord,
  ): Promise<{ collection: string; position: LogPosition }> {
    const { accountId, mediaId } = job
    await refuseStopped(ports, job, isShared)
    const { place, keepPlace, revision } = await placeFor(ports, job)
    const command = { type: 'RecordIngest', place, keepPlace, record } as const
    const { position, events } = await ports.streams.execute('media', mediaId, command, originFrom(job))
    // The collection may have been deleted since the place was decided, and before the record.
    async function moveIfLate(): Promise<{ collection: string; position: LogPosition } | null> {
      const library = await ports.streams.load('library', accountId, (library) => isEnded(library, place))
      const isInPlace = events.length > 0 && (keepPlace ? library.revision === revision : !library.selected)
      return isInPlace ? null : moveLateItem(ports, job, originFrom(job))
    }
    // While the log is unavailable the eraser does it.
    const moved = await unlessAway(moveIfLate())
    // What a failed attempt stored. While storage is unavailable it stays until the item is deleted.
    await unlessAway(
      events.length > 0 && !moved
        ? ports.artifacts.retain(job, Object.keys(record.artifacts))
        : removeOrphans(ports, job),
    )
    return moved ?? { collection: place.collection, position }
  }

  /** Keeps the answer for requests with the same Idempotency-Key, and makes the charge final. */
  async function keepBooks(job: JobRef, answer: () => Promise<IngestAnswer | null>): Promise<LogPosition> {
    const { requestStream, origin } = job
    const kept = requestStream && (await answer())
    if (kept) {
      const { requestId } = kept
      const command = { type: 'CompleteRequest', requestId, answer: kept, at: ports.clock.now() } as const
      await ports.streams.execute('request', requestStream, command, origin)
    }
    // The charge of a batch is final when all its jobs have ended.
    if (job.batchId) return BEGINNING
    const command = { type: 'Settle', chargeId: chargeIdOf(job), at: ports.clock.now() } as const
    return (await ports.streams.execute('ledger', job.accountId, command, origin)).position
  }

  async function release(job: JobRef, reason: string): Promise<'recorded' | 'released'> {
    const { ingestId } = job
    const command = { type: 'ReleaseIngest', ingestId, reason, at: ports.clock.now() } as const
    const { selected: end } = await ports.streams.execute('media', job.mediaId, command, job.origin, {
      select: (media) => media.ended.get(ingestId),
      undoes: true,
    })
    return end ?? 'released'
  }

  /** Pays back what is left of a single upload's charge, if it was made at all. */
  async function refund(job: JobRef, reason: string): Promise<void> {
    const chargeId = chargeIdOf(job)
    const refundId = refundOfCharge(chargeId)
    const command = { type: 'RefundRest', refundId, chargeId, reason, at: ports.clock.now() } as const
    await ports.streams.execute('ledger', job.accountId, command, job.origin, { undoes: true })
  }

  return {
    async begin(job) {
      const startedAt = ports.clock.now()
      const end = await claim(job)
      return { startedAt, newBalance: job.batchId ? 0n : await charge(job, end) }
    },

    understand: (job, work = {}) => understandAndStore(ports, job, { isShared, ...work }),

    async finish(job, { startedAt, newBalance }, made) {
      const { collection, position } = await record(job, made)
      const { mediaId, ingestId } = job
      const cost = sum(job.price.map((line) => line.amount))
      const costs = { previousBalance: newBalance + cost, cost, newBalance }
      const times = { startedAt, completedAt: made.at }
      const outcome = { mediaId, ingestId, collection, ...times, ...costs, position }
      try {
        const settled = await keepBooks(jobRef(job), async () => answerOf(job, outcome))
        return { outcome: { ...outcome, position: Math.max(position, settled) }, owed: false }
      } catch {
        return { outcome, owed: true }
      }
    },

    async end(job, reason) {
      const { accountId, mediaId, ingestId, batchId } = job
      const end = await release(job, reason)
      if (end === 'recorded') {
        await keepBooks(job, () => recordedAnswer(ports, job))
        return end
      }
      const discard = (): Promise<void> => ports.artifacts.deleteIngest({ accountId, mediaId, ingestId })
      if (!batchId) {
        // Once nothing is owed, no recovery looks for what the job stored. A storage that fails delays no refund.
        await unlessAway(discard())
        await refund(job, reason)
      }
      await discard()
      return end
    },
  }
}

async function understandAndStore(
  ports: IngestPorts,
  job: IngestJob,
  { isShared, ...work }: StepWork & { isShared: boolean },
): Promise<IngestRecord> {
  const { accountId, mediaId, jobId, ingestId, staged, filename, format } = job
  const started = ports.clock.now()
  const ingest = { accountId, mediaId, ingestId }
  const stored = () => readUnderstood(ports.artifacts, ingest)
  let understood = await stored()
  // A model of a provider is not asked, and paid, again for what an earlier run stored.
  if (!understood) {
    const file = { path: staged.path, filename, size: staged.size, format }
    const read = await ports.understanding.understand(file, {
      accountId,
      ...work,
      isBackground: job.batchId !== null,
    })
    // Another worker may have taken this one for lost: what it stored meanwhile may be recorded already.
    understood = (await stored()) ?? read
  }
  const receipts = await Promise.all(
    encodeUnderstood(understood).map(
      async ({ name, bytes }) => [name, await ports.artifacts.put(ingest, name, bytes)] as const,
    ),
  )
  const isOurs = ({ claim }: Pick<Media, 'claim'>) => claim?.ingestId === ingestId
  const isKnown = ports.streams.peek('media', mediaId, isOurs) === true
  // One that was released a moment ago is refused by the record, and discarded then; another attempt has no record to come.
  if (isShared || !isKnown) await removeOrphans(ports, ingest)
  const { vectors, enrichment, extraction } = understood
  const at = ports.clock.now()
  return {
    ingestId,
    jobId,
    mediaType: format.mediaType,
    format: extraction.format,
    filename,
    sizeBytes: staged.size,
    sha256: staged.sha256,
    artifacts: Object.fromEntries(receipts),
    // Full-size ones: the combined one and one a chunk; plus the short one.
    vectorCount: { hd: 1 + vectors.chunks.length, ld: 1 },
    embedder: vectors.model,
    enricher: enrichment.model,
    durationMs: Math.max(0, at - started),
    at,
  }
}

const chargeIdOf = (job: { jobId: Uuid }): string => job.jobId

/** A job of a batch that has ended without it, or was cancelled, must not bring its item in any more. */
async function refuseStopped(
  { streams }: IngestPorts,
  { batchId, jobId }: IngestJob,
  isShared: boolean,
): Promise<void> {
  if (!batchId) return
  const isStopped = ({ status, jobs }: Batch) => status === 'cancelled' || jobs.get(jobId) !== null
  if (await stateOf(streams, isShared, 'batch', batchId, isStopped)) throw new JobStopped()
}

/**
 * The ingest that the item's stream shows and no reader sees, because its collection was deleted and the eraser has not
 * come to it yet. Null if every reader sees the item, or there is no item. The catalog has reached both streams by then.
 */
async function deadIngest(ports: IngestPorts, job: IngestJob): Promise<Uuid | null> {
  const { accountId, mediaId } = job
  const media = await ports.streams.load('media', mediaId, ({ item }) => item?.ingestId ?? null)
  if (media.selected === null) return null
  const library = await ports.streams.load('library', accountId, () => undefined)
  await requireCatalog(ports, Math.max(media.position, library.position))
  if ((await ports.catalog.item(accountId, mediaId)) !== null) return null
  const dead = { accountId, mediaId, ingestId: media.selected }
  if (await moveLateItem(ports, dead, originFrom(job))) return null
  // It is deleted with the claim: a receipt for its collection is owed for it, too.
  await nameEndedItem(ports, dead)
  return dead.ingestId
}

/** Once an ingest has ended, of its artifacts only those stay that an item rests on. */
async function removeOrphans(ports: IngestPorts, ingest: IngestRef): Promise<void> {
  const { mediaId, ingestId } = ingest
  const { selected } = await ports.streams.load('media', mediaId, ({ ended, item }) => ({
    end: ended.get(ingestId),
    kept: item?.ingestId === ingestId ? item.artifacts : null,
  }))
  if (selected.end === undefined) return
  if (selected.kept) await ports.artifacts.retain(ingest, Object.keys(selected.kept))
  else await ports.artifacts.deleteIngest(ingest)
  if (selected.end === 'released') throw new ClaimLost()
}

/**
 * Where the item goes, by that revision of the library (null: none yet); `keepPlace`: to where it is. Only a catalog that has
 * reached the item's stream and the library knows where that is.
 */
async function placeFor(
  ports: IngestPorts,
  { accountId, mediaId, collection, overwrite }: IngestJob,
): Promise<{ place: Place; keepPlace: boolean; revision: Revision | null }> {
  const { streams, catalog } = ports
  const wanted = collection ?? DEFAULT_COLLECTION
  const keepsPlace = overwrite && collection === null
  // A collection that was deleted a moment ago is found after the record.
  const known = streams.peek('library', accountId, (library) => placeIn(library, wanted))
  if (known && !keepsPlace) return { place: known, keepPlace: false, revision: null }
  const library = await streams.load('library', accountId, (library) => ({
    ...library,
    generations: new Map(library.generations),
  }))
  let present: Pick<CatalogItem, 'collection'> | null = null
  if (keepsPlace) {
    const media = await streams.load('media', mediaId, ({ item }) => item !== null)
    if (media.selected) {
      await requireCatalog(ports, Math.max(media.position, library.position))
      present = await catalog.item(accountId, mediaId)
    }
  }
  const { selected, revision } = library
  const place = placeIn(selected, present?.collection ?? wanted)
  return { place, keepPlace: present !== null, revision }
}
