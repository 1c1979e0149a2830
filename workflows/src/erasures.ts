import { createHash } from 'node:crypto'
import {
  collectionErasureIdOf,
  extendErasure,
  namedIngest,
  recordedIngest,
  SYSTEM,
  WrongExpectedRevision,
  type Erasure,
  type ErasureLedger,
  type Settings,
} from '@medialog/application'
import type { ErasureSubject, RequestedErasure } from '@medialog/domain'
import type { LogPosition, Uuid } from '@medialog/kernel'
import { closeAccount, eraseNames, type ClosingPorts } from './close-account.ts'
import { deleteIngest } from './delete-ingest.ts'

export type ErasuresPorts = ClosingPorts & {
  erasures: Pick<ErasureLedger, 'areDone'>
  settings: Pick<Settings, 'erasedStores'>
  flushErased(): Promise<void>
}

const AT_ONCE = 100

type Open = Pick<RequestedErasure, 'accountId' | 'subject'> & { ingests: [ingestId: Uuid, mediaId: Uuid][] }

/**
 * Answers what carries out all that receipts are owed for, one step further each time: deletes what was named and is still
 * there, and says that it is done once nothing is left in any store. Where it stands is in the log alone, so it may die
 * anywhere and be done twice. `onError` receives the error of one that fails; the others go on.
 */
export function createErasures(ports: ErasuresPorts, onError: (error: unknown) => void): () => Promise<void> {
  const emptyBy = new Map<Uuid, LogPosition>()
  return async () => {
    const open = (await ports.work.erasures()).map(({ erasureId }) => erasureId)
    for (const erasureId of emptyBy.keys()) if (!open.includes(erasureId)) emptyBy.delete(erasureId)
    for (const erasureId of open) await advance(ports, emptyBy, erasureId).catch(onError)
  }
}

/**
 * Names what ended with its collection in the erasure of that, where one is open, before it is deleted: after, its stream
 * tells nothing more of it. An item that `fail` is called with is not named, and must not be deleted yet.
 */
export async function nameEnded(
  { streams, clock }: Pick<ErasuresPorts, 'streams' | 'clock'>,
  pending: readonly Erasure[],
  fail: (error: unknown, erasure: Erasure) => void,
): Promise<void> {
  const ended = Map.groupBy(
    pending.filter(({ cause }) => cause === 'ended'),
    ({ accountId, place }) => collectionErasureIdOf(accountId, place!),
  )
  for (const [erasureId, items] of ended)
    try {
      await extendErasure({ streams, clock }, erasureId, async () => {
        const named = items.map((erasure) =>
          namedIngest(streams, erasure.mediaId, erasure.ingestId).catch((error: unknown) => {
            fail(error, erasure)
            return null
          }),
        )
        return (await Promise.all(named)).filter((ingest) => ingest !== null)
      })
    } catch (error) {
      for (const erasure of items) fail(error, erasure)
    }
}

/**
 * `emptyBy`: of erasures of collections that were seen without an item, a position in the log by which all that they had was
 * dead.
 */
async function advance(
  ports: ErasuresPorts,
  emptyBy: Map<Uuid, LogPosition>,
  erasureId: Uuid,
): Promise<void> {
  const { streams, settings, clock } = ports
  const { selected: open, revision } = await streams.load('erasure', erasureId, (state): Open | null => {
    const { status, accountId, subject, ingests } = state
    return status === 'open' ? { accountId, subject, ingests: [...ingests] } : null
  })
  if (!open || !(await isDeleted(ports, open)) || !(await isErased(ports, open))) return
  if (
    open.subject!.kind === 'collection' &&
    !(await isPastErased(ports, emptyBy, erasureId, open.accountId!))
  )
    return
  if (open.subject!.kind === 'account' && !(await eraseNames(ports, open.accountId!))) return
  await ports.flushErased()
  const digest = digestOf(open.ingests.map(([ingestId]) => ingestId))
  const stores = [...settings.erasedStores]
  const command = { type: 'CompleteErasure', digest, stores, at: clock.now() } as const
  try {
    await streams.execute('erasure', erasureId, command, SYSTEM, { at: revision })
  } catch (error) {
    // More was named meanwhile, and was not looked for: the next look does.
    if (!(error instanceof WrongExpectedRevision)) throw error
  }
}

/** Whether all of it is dead by now, and named. */
async function isDeleted(ports: ErasuresPorts, { accountId, subject, ingests }: Open): Promise<boolean> {
  switch (subject!.kind) {
    case 'items':
      for (const [ingestId, mediaId] of ingests) await deleteIngest(ports, accountId!, mediaId, ingestId)
      return true
    case 'collection':
      return isCollectionGone(ports, accountId!, subject as Extract<ErasureSubject, { kind: 'collection' }>)
    case 'account':
      return closeAccount(ports, accountId!)
  }
}

/** Its end may not have been recorded, where the process of the request died. */
async function isCollectionGone(
  { streams, catalog, clock }: ErasuresPorts,
  accountId: Uuid,
  { collection, generation }: Extract<ErasureSubject, { kind: 'collection' }>,
): Promise<boolean> {
  const place = { collection, generation }
  const command = { type: 'DeleteCollection', accountId, place, at: clock.now() } as const
  const { events } = await streams.execute('library', accountId, command, { ...SYSTEM, accountId })
  if (events.length > 0) return false
  const ended = await catalog.endedCollection(accountId, collection, generation)
  return ended?.left === 0
}

/**
 * Whether what the account deleted or replaced before its collection was empty is erased: an item that a request of its own
 * deleted a moment before, or at the same time, is not among those that ended with it. Which collection it was in is not known any more, so the
 * receipt waits for those of others, too.
 */
async function isPastErased(
  { eventStore, catalog }: ErasuresPorts,
  emptyBy: Map<Uuid, LogPosition>,
  erasureId: Uuid,
  accountId: Uuid,
): Promise<boolean> {
  const by = emptyBy.get(erasureId) ?? (await eventStore.head())
  emptyBy.set(erasureId, by)
  if ((await catalog.position()) < by) return false
  const [oldest] = await catalog.pendingErasures(1, { of: accountId })
  return oldest === undefined || oldest.position > by
}

async function isErased(
  { erasures, eventStore }: ErasuresPorts,
  { subject, ingests }: Open,
): Promise<boolean> {
  for (let from = 0; from < ingests.length; from += AT_ONCE) {
    const some = ingests.slice(from, from + AT_ONCE).map(([ingestId, mediaId]) => ({ ingestId, mediaId }))
    if ((await erasures.areDone(some)).includes(false)) return false
    if (subject!.kind !== 'items') continue
    // An item may have been replaced after it was named, and before it was deleted: the log has it until that is removed, too.
    for (const { mediaId, ingestId } of some)
      if (await recordedIngest(eventStore, mediaId, ingestId)) return false
  }
  return true
}

/** Hex SHA-256 over the ids, sorted, a line each. */
const digestOf = (ingestIds: readonly Uuid[]): string =>
  createHash('sha256')
    .update(
      ingestIds
        .toSorted()
        .map((id) => `${id}\n`)
        .join(''),
    )
    .digest('hex')
