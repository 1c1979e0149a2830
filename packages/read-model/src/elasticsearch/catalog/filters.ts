import type { Uuid } from '@medialog/kernel'
import type { Query } from '../query.ts'
import { endedId } from './documents.ts'

/**
 * The account's items that are shown. What ended is looked up in one document, which is read as it was written last:
 * an ending hides all of a collection's items at once.
 */
export const livingItems = (index: string, account: Uuid): Query[] => [
  { term: { kind: 'item' } },
  { term: { account } },
  notEnded(index, account),
]

const notEnded = (index: string, account: Uuid): Query => ({
  bool: { must_not: { terms: { place: { index, id: endedId(account), path: 'places', routing: account } } } },
})

/** Living items of every account, where these places have ended. */
export const livingItemsOfAll = (ended: readonly string[]): Query => ({
  bool: { filter: { term: { kind: 'item' } }, must_not: { terms: { place: [...ended] } } },
})
