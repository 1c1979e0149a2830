import { DEFAULT_COLLECTION } from '@medialog/domain'
import type { RequestContext } from '../core/context.ts'
import { CollectionNotFound } from '../core/errors.ts'
import type { Ports } from '../core/ports.ts'
import type { CollectionRecord } from '../ports/index.ts'

export type CollectionPorts = Pick<Ports, 'catalog' | 'accounts'>

/** A collection in the list of them; `default` is as old as the account. */
export type CollectionListing = Pick<CollectionRecord, 'collection' | 'itemCount' | 'mediaTypes'> & {
  createdAt: number
}

/** All collections that hold something, and `default`, which is as old as the account. */
export async function listCollections(
  { catalog, accounts }: CollectionPorts,
  { principal: { accountId } }: RequestContext,
): Promise<CollectionListing[]> {
  const [records, account] = await Promise.all([catalog.collections(accountId), accounts.account(accountId)])
  const inDefault = records.find(({ collection }) => collection === DEFAULT_COLLECTION)
  const others = records
    .filter(({ collection }) => collection !== DEFAULT_COLLECTION)
    .map(({ collection, itemCount, mediaTypes, firstItemAt }) => ({
      collection,
      itemCount,
      mediaTypes,
      createdAt: firstItemAt,
    }))
  const { itemCount, mediaTypes } = inDefault ?? { itemCount: 0, mediaTypes: {} }
  return [{ collection: DEFAULT_COLLECTION, itemCount, mediaTypes, createdAt: account!.openedAt }, ...others]
}

/** @throws CollectionNotFound for an empty one too, `default` included */
export async function readCollection(
  { catalog }: Pick<Ports, 'catalog'>,
  { principal: { accountId } }: RequestContext,
  collection: string,
): Promise<CollectionRecord> {
  const record = await catalog.collection(accountId, collection)
  if (!record) throw new CollectionNotFound(collection)
  return record
}
