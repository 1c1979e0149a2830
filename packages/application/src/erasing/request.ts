import type { Place } from '@medialog/domain'
import type { Uuid } from '@medialog/kernel'
import type { OperatorContext, RequestContext } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import type { CommandOf } from '../event-sourcing/streams.ts'
import { accountErasureIdOf, collectionErasureIdOf, newId } from '../ids.ts'
import { operatorOrigin, originOf } from '../origin.ts'
import type { CatalogItem } from '../ports/index.ts'
import { namedIngest } from './named-ingest.ts'

type Requesting = Pick<Dependencies, 'streams' | 'logTree' | 'clock'>

/**
 * Opens an erasure of items, before they are deleted: from then on they will be, whatever happens to who asked. Answers
 * its id. @throws EngineUnavailable where this process cannot sign receipts
 */
export async function requestItemsErasure(
  dependencies: Requesting,
  context: RequestContext,
  items: readonly CatalogItem[],
): Promise<Uuid> {
  const { streams, logTree, clock } = dependencies
  await logTree.keys()
  const named = await Promise.all(
    items.map(({ mediaId, ingestId }) => namedIngest(streams, mediaId, ingestId)),
  )
  const erasureId = newId()
  const { accountId } = context.principal
  const ingests = named.filter((ingest) => ingest !== null)
  const subject = { kind: 'items' } as const
  const command = { type: 'RequestErasure', accountId, subject, ingests, at: clock.now() } as const
  await streams.execute('erasure', erasureId, command, originOf(context))
  return erasureId
}

/** Likewise of a collection, whose items are named as the eraser comes to them. */
export async function requestCollectionErasure(
  { streams, logTree, clock }: Requesting,
  context: RequestContext,
  place: Place,
): Promise<Uuid> {
  await logTree.keys()
  const { accountId } = context.principal
  const erasureId = collectionErasureIdOf(accountId, place)
  const subject = { kind: 'collection', ...place } as const
  const at = clock.now()
  const command: CommandOf<'erasure'> = { type: 'RequestErasure', accountId, subject, ingests: [], at }
  await streams.execute('erasure', erasureId, command, originOf(context))
  return erasureId
}

/** Likewise of a whole account, which is closed with it. */
export async function requestAccountErasure(
  { streams, clock }: Pick<Requesting, 'streams' | 'clock'>,
  context: OperatorContext,
  accountId: Uuid,
): Promise<Uuid> {
  const erasureId = accountErasureIdOf(accountId)
  const at = clock.now()
  const subject = { kind: 'account' } as const
  const command: CommandOf<'erasure'> = { type: 'RequestErasure', accountId, subject, ingests: [], at }
  await streams.execute('erasure', erasureId, command, operatorOrigin(context, accountId))
  return erasureId
}
