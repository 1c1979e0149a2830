import type { ErasedIngest, ErasureSubject, Place } from '@medialog/domain'
import type { Uuid } from '@medialog/kernel'
import type { RequestContext } from '../core/context.ts'
import { accountErasureIdOf, collectionErasureIdOf, newId } from '../core/ids.ts'
import { originOf } from '../core/origin.ts'
import type { Ports } from '../core/ports.ts'
import { SYSTEM, type Origin } from '../event-sourcing/executing.ts'
import type { CatalogItem } from '../ports/index.ts'
import { namedIngest } from './named-ingest.ts'

type Opening = Pick<Ports, 'streams' | 'clock'>
type Requesting = Opening & Pick<Ports, 'logTree'>

/**
 * Opens an erasure of items, before they are deleted: from then on they will be, even if the client disconnects. Answers
 * its id; null where nothing is left of them. @throws EngineUnavailable where this process cannot sign receipts
 */
export async function requestItemsErasure(
  ports: Requesting,
  context: RequestContext,
  items: readonly Pick<CatalogItem, 'mediaId'>[],
): Promise<Uuid | null> {
  const { streams, logTree } = ports
  await logTree.keys()
  // The catalog may still show an earlier ingest.
  const named = await Promise.all(items.map(({ mediaId }) => namedIngest(streams, mediaId)))
  const ingests = named.filter((ingest) => ingest !== null)
  if (ingests.length === 0) return null
  return open(ports, originOf(context), {
    erasureId: newId(),
    accountId: context.principal.accountId,
    subject: { kind: 'items' },
    ingests,
  })
}

/** Likewise of a collection, whose items are named as the eraser comes to them. */
export async function requestCollectionErasure(
  ports: Requesting,
  context: RequestContext,
  place: Place,
): Promise<Uuid> {
  await ports.logTree.keys()
  const { accountId } = context.principal
  return open(ports, originOf(context), {
    erasureId: collectionErasureIdOf(accountId, place),
    accountId,
    subject: { kind: 'collection', ...place },
  })
}

/** Likewise of a whole account, which is closed with it. `by` names the account. */
export const requestAccountErasure = (ports: Opening, by: Origin, accountId: Uuid): Promise<Uuid> =>
  open(ports, by, {
    erasureId: accountErasureIdOf(accountId),
    accountId,
    subject: { kind: 'account' },
  })

async function open(
  { streams, clock }: Opening,
  by: Origin,
  {
    erasureId,
    ingests = [],
    ...of
  }: { erasureId: Uuid; accountId: Uuid; subject: ErasureSubject; ingests?: ErasedIngest[] },
): Promise<Uuid> {
  const command = { ...of, type: 'RequestErasure', ingests, at: clock.now() } as const
  await streams.execute('erasure', erasureId, command, by)
  return erasureId
}

/** Names more in an erasure that is open; `named` is asked for it only then. */
export async function extendErasure(
  { streams, clock }: Opening,
  erasureId: Uuid,
  named: () => Promise<ErasedIngest[]>,
): Promise<void> {
  const { selected: isOpen } = await streams.load('erasure', erasureId, ({ status }) => status === 'open')
  if (!isOpen) return
  const command = { type: 'ExtendErasure' as const, ingests: await named(), at: clock.now() }
  await streams.execute('erasure', erasureId, command, SYSTEM)
}
