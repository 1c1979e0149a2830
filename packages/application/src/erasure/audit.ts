import { decodeRecorded, isKnownEvent } from '@medialog/contract'
import type { ErasedIngest, ErasureEvent } from '@medialog/domain'
import { openReceiptNote } from '@medialog/contract/receipt'
import { parseVerifierKey } from '@medialog/contract/signed-note'
import { erasureId as erasureIds, parseMediaId, type Json, type Uuid } from '@medialog/kernel'
import { ErasureNotFound } from '../core/errors.ts'
import type { Ports } from '../core/ports.ts'
import { streamName } from '../event-sourcing/streams.ts'
import type { ErasureReceipt } from './receipt.ts'
import type { OperationKinds } from '../operations/operations.ts'

export type ErasureAuditPorts = Pick<
  Ports,
  'eventStore' | 'logScavenger' | 'logTree' | 'catalog' | 'artifacts' | 'projections' | 'settings'
>

/** Something that should be gone and is not. */
interface Trace {
  store: string
  place: string
  /** For people. */
  what: string
}

/** A receipt that promises much may leave as many traces. */
const MOST_LISTED = 100

/** `audit-erasure`: asks every store, through its port, for what a receipt says is gone. Succeeds with what it found. */
export const erasureOperations = (ports: ErasureAuditPorts): Pick<OperationKinds, 'audit-erasure'> => ({
  async 'audit-erasure'({ erasure_id: id, receipt: note }, report) {
    const erasureId = erasureIds.parse(id)
    const recorded = erasureId === null ? null : await recordedErasure(ports, erasureId)
    const erasure = recorded ?? (note === undefined ? null : await signedErasure(ports, id, note))
    if (!erasure) throw new ErasureNotFound(id)
    const { accountId, ingests, hash } = erasure
    const traces: Trace[] = []
    for (const [done, ingest] of ingests.entries()) {
      report(done / ingests.length, `asking the stores: ${done} of ${ingests.length}`)
      for await (const trace of tracesOf(ports, accountId, ingest)) traces.push(trace)
    }
    let retained = 0
    for (const mediaId of new Set(ingests.map((ingest) => ingest.mediaId)))
      retained += await retainedOf(ports, mediaId)
    const unwiped = (await ports.projections.status()).filter(({ unwiped: { removals } }) => removals > 0)
    return {
      intact: traces.length === 0,
      // Else the log ends before it: what is here was restored from an earlier state.
      recorded: recorded !== null,
      ingests: ingests.length,
      event_hash: hash,
      found: traces.length,
      traces: traces.slice(0, MOST_LISTED).map((trace): Json => ({ ...trace })),
      // Of a log on a server, until its operator has it scavenged.
      log_retains: retained,
      complete: traces.length === 0 && retained === 0 && unwiped.length === 0,
      being_wiped: unwiped.map(({ name }) => name),
      stores: ports.settings.erasedStores.map((store): Json => ({ ...store })),
    }
  },
})

interface Erasure {
  accountId: Uuid
  ingests: Pick<ErasedIngest, 'mediaId' | 'ingestId' | 'artifacts'>[]
  /** Of the event that completed it; null: it is pending, or not in this log. */
  hash: string | null
}

/** As a receipt of this log names it. @throws InvalidNote, ErasureNotFound where it is of another erasure */
async function signedErasure({ logTree }: ErasureAuditPorts, id: string, note: string): Promise<Erasure> {
  const { current, former } = await logTree.keys()
  const opened = openReceiptNote(note, [current, ...former].map(parseVerifierKey))
  const { erasure_id: signed, account_id: accountId, items } = opened.receipt as ErasureReceipt
  if (signed !== id) throw new ErasureNotFound(id)
  const ingests = items.map(({ media_id: mediaId, ingest_id: ingestId, artifacts }) => ({
    mediaId: parseMediaId(mediaId)!.id,
    ingestId,
    artifacts,
  }))
  return { accountId, ingests, hash: null }
}

/** Null without one. */
async function recordedErasure({ eventStore }: ErasureAuditPorts, erasureId: Uuid): Promise<Erasure | null> {
  let found: Erasure | null = null
  for await (const recorded of eventStore.read(streamName('erasure', erasureId))) {
    const event = decodeRecorded(recorded) as ErasureEvent
    found ??= { accountId: event.accountId, ingests: [], hash: null }
    if (event.type === 'ErasureCompleted') found.hash = recorded.hash
    else found.ingests.push(...event.ingests)
  }
  return found
}

/** How many of the item's erased events the log's files still hold. */
async function retainedOf(
  { eventStore, logScavenger, logTree }: ErasureAuditPorts,
  mediaId: Uuid,
): Promise<number> {
  const stream = streamName('media', mediaId)
  let shownFrom = Infinity
  for await (const { revision } of eventStore.read(stream, { limit: 1 })) shownFrom = revision
  let retained = 0
  for (const { revision, position } of await logTree.leaves.ofStream(stream))
    if (revision < shownFrom && (await logScavenger.retains(position))) retained++
  return retained
}

async function* tracesOf(
  { eventStore, catalog, artifacts }: ErasureAuditPorts,
  accountId: Uuid,
  { mediaId, ingestId, artifacts: names }: Erasure['ingests'][number],
): AsyncGenerator<Trace> {
  for await (const recorded of eventStore.read(streamName('media', mediaId))) {
    const event = isKnownEvent(recorded) ? decodeRecorded(recorded) : null
    if (event && 'filename' in event && 'ingestId' in event && event.ingestId === ingestId)
      yield {
        store: 'log',
        place: `revision ${recorded.revision} of ${recorded.stream}`,
        what: `${recorded.type} is still there`,
      }
  }
  if ((await catalog.item(accountId, mediaId))?.ingestId === ingestId)
    yield { store: 'read models', place: `catalog, ${mediaId}`, what: 'the item is still shown' }
  for (const name of Object.keys(names))
    if (await artifacts.get({ accountId, mediaId, ingestId }, name))
      yield { store: 'artifacts', place: `${mediaId}/${ingestId}/${name}`, what: 'it is still there' }
}
