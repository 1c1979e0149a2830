import { DEFAULT_COLLECTION } from '@medialog/domain'
import type { RequestContext } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { CollectionNotFound } from '../errors.ts'
import type { CollectionRecord } from '../ports/index.ts'

/** All collections that hold something, and `default`, which is as old as the account. */
export async function listCollections(
  { catalog, accounts }: Pick<Dependencies, 'catalog' | 'accounts'>,
  { principal: { accountId } }: RequestContext,
): Promise<{ collection: string; itemCount: number; createdAt: number }[]> {
  const [records, account] = await Promise.all([catalog.collections(accountId), accounts.account(accountId)])
  const inDefault = records.find(({ collection }) => collection === DEFAULT_COLLECTION)?.itemCount ?? 0
  const others = records
    .filter(({ collection }) => collection !== DEFAULT_COLLECTION)
    .map(({ collection, itemCount, firstItemAt }) => ({ collection, itemCount, createdAt: firstItemAt }))
  return [{ collection: DEFAULT_COLLECTION, itemCount: inDefault, createdAt: account!.openedAt }, ...others]
}

/** @throws CollectionNotFound for an empty one too, `default` included */
export async function readCollection(
  { catalog }: Pick<Dependencies, 'catalog'>,
  { principal: { accountId } }: RequestContext,
  collection: string,
): Promise<CollectionRecord> {
  const record = await catalog.collection(accountId, collection)
  if (!record) throw new CollectionNotFound(collection)
  return record
}
