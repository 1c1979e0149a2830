import {
  encodeUnderstood,
  moveLateItem,
  nameEndedItem,
  originFrom,
  recordedAnswer,
  requireCatalog,
  requireKey,
  readUnderstood,
  refundOf,
  unlessAway,
  type CatalogItem,
  type IngestAnswer,
  type IngestJob,
  type IngestRef,
} from '@medialog/application'
import {
  ClaimLost,
  DEFAULT_COLLECTION,
  DuplicateMedia,
  isEnded,
  placeIn,
  type Batch,
  type IngestRecord,
  type Media,
  type Place,
} from '@medialog/domain'
import { BEGINNING, type LogPosition, type Money, type Revision, type Uuid } from '@medialog/kernel'
import type { IngestPorts } from './ports.ts'
import type { JobRef } from './refs.ts'
import { stateOf } from './state-of.ts'
import { JobStopped } from './stopping.ts'

export type Steps = ReturnType<typeof makeSteps>

/**
 * The steps of the ingest saga. Each may be run again after a crash at any line of it: what was done once is not done
 * twice, because the stream that a step writes to decides. `isShared`: other processes work on the same jobs, and an
 * attempt that counts as lost may still be running.
 */
export const makeSteps = (ports: IngestPorts, { isShared = false } = {}) => ({
  /** Claims the item's stream for this job. @throws DuplicateMedia, IngestInProgress: nothing to undo */
  async claim(job: IngestJob): Promise<{ at: number }> {
    const { accountId, mediaId, jobId, ingestId, batchId, overwrite, staged } = job
    const at = ports.clock.now()
    const { sha256 } = staged
    const claim = async (dead: Uuid | null): Promise<void> => {
      const ids = { accountId, ingestId, jobId, batchId, sha256 }
      const command = { type: 'ClaimIngest', ...ids, overwrite, dead, at } as const
      await ports.streams.execute('media', mediaId, command, originFrom(job))
    }
    // An item that the claim would replace must be known to be dead before; one that refuses the claim is looked at then.
    if (overwrite) await claim(await deadIngest(ports, job))
    else
      try {
        await claim(null)
      } catch (error) {
        const dead = error instanceof DuplicateMedia ? await deadIngest(ports, job) : null
        if (dead === null) throw error
        await claim(dead)
      }
    return { at }
  },

  /**
   * A job of a batch was paid for with it. @throws InsufficientFunds; ClaimLost, or EngineUnavailable where its key went to
   * a repeat: what was given up is not paid for
   */
  async charge(job: IngestJob): Promise<{ newBalance: Money }> {
    const { accountId, mediaId, jobId, ingestId, batchId, requestId, price: lines } = job
    // No answer tells the balance after a file of a batch.
    if (batchId) return { newBalance: 0n }
    const endIn = ({ claim, ended }: Pick<Media, 'claim' | 'ended'>) =>
      claim?.ingestId === ingestId ? 'claimed' : ended.get(ingestId)
    const known = ports.streams.peek('media', mediaId, endIn)
    // A claim that was released a moment ago has its charge refunded, before it is made if need be.
    const end = known === 'claimed' ? known : (await ports.streams.load('media', mediaId, endIn)).selected
    if (end !== 'claimed' && end !== 'recorded') throw new ClaimLost()
    await requireKey(ports, job)
    const chargeId = chargeIdOf(job)
    const { selected } = await ports.streams.execute(
      'ledger',
      accountId,
      {
        type: 'Charge',
        chargeId,
        lines,
        cause: { operation: 'upload', requestId, jobId, mediaId },
        at: ports.clock.now(),
      },
      originFrom(job),
      { select: ({ balance, charges }) => ({ newBalance: balance, isOpen: charges.get(chargeId)!.open }) },
    )
    // It was refunded, and what told of the released claim was erased with a deletion of the item.
    if (end === 'claimed' && !selected.isOpen) throw new ClaimLost()
    return { newBalance: selected.newBalance }
  },

  /**
   * Reads the file and stores what is known of it as artifacts; answers what the record says of them. An attempt that took so
   * long that another ended the ingest leaves nothing of its own. @throws ClaimLost where it was released
   */
  async understandAndStore(job: IngestJob, signal?: AbortSignal): Promise<IngestRecord> {
    const { accountId, mediaId, jobId, ingestId, staged, filename, format } = job
    const started = ports.clock.now()
    const ingest = { accountId, mediaId, ingestId }
    const stored = () => readUnderstood(ports.artifacts, ingest)
    let understood = await stored()
    // A model of a provider is not asked, and paid, again for what an earlier run stored.
    if (!understood) {
      const file = { path: staged.path, filename, size: staged.size, format }
      const read = await ports.understanding.understand(file, { accountId, signal })
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
  },

  /** From here on the item is there. @throws ClaimLost, JobStopped when the job was given up meanwhile */
  async record(job: IngestJob, record: IngestRecord): Promise<{ collection: string; position: LogPosition }> {
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
    // What an attempt stored that came to nothing. Where storage is away it stays until the item goes.
    await unlessAway(
      events.length > 0 && !moved
        ? ports.artifacts.retain(job, Object.keys(record.artifacts))
        : removeOrphans(ports, job),
    )
    return moved ?? { collection: place.collection, position }
  },

  /** The answer that a crash cut off. Null where the item was erased. */
  answer: (job: JobRef): Promise<IngestAnswer | null> => recordedAnswer(ports, job),

  /** Keeps the answer for whoever sends the same Idempotency-Key again. */
  async complete({ requestStream, origin }: JobRef, answer: IngestAnswer): Promise<void> {
    const { requestId } = answer
    const command = { type: 'CompleteRequest', requestId, answer, at: ports.clock.now() } as const
    if (requestStream) await ports.streams.execute('request', requestStream, command, origin)
  },

  /** The charge is final; that of a batch is when all its jobs have ended. */
  async settle(job: JobRef): Promise<LogPosition> {
    if (job.batchId) return BEGINNING
    const command = { type: 'Settle', chargeId: chargeIdOf(job), at: ports.clock.now() } as const
    return (await ports.streams.execute('ledger', job.accountId, command, job.origin)).position
  },

  /**
   * Gives the claim up, so that nothing made under it can be recorded any more; always before the refund. `recorded`
   * says that it was too late for that: the item was delivered and stays charged.
   */
  async release(job: JobRef, reason: string): Promise<'released' | 'recorded'> {
    const { ingestId } = job
    const command = { type: 'ReleaseIngest', ingestId, reason, at: ports.clock.now() } as const
    const { selected: end } = await ports.streams.execute('media', job.mediaId, command, job.origin, {
      select: (media) => media.ended.get(ingestId),
      undoes: true,
    })
    return end ?? 'released'
  },

  /**
   * Pays back what is left of a single upload's charge, if it was made at all. What the job stored goes before: once nothing
   * is owed, no recovery looks for it. A storage that fails delays no refund.
   */
  async refund(job: JobRef, reason: string): Promise<void> {
    const { accountId, mediaId, ingestId } = job
    await unlessAway(ports.artifacts.deleteIngest({ accountId, mediaId, ingestId }))
    const chargeId = chargeIdOf(job)
    const command = {
      type: 'RefundRest',
      refundId: refundOf(chargeId),
      chargeId,
      reason,
      at: ports.clock.now(),
    } as const
    await ports.streams.execute('ledger', job.accountId, command, job.origin, { undoes: true })
  },

  /** Removes what the job stored. */
  discard: ({ accountId, mediaId, ingestId }: JobRef): Promise<void> =>
    ports.artifacts.deleteIngest({ accountId, mediaId, ingestId }),
})

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
