import type { estypes } from '@elastic/elasticsearch'

export type Query = estypes.QueryDslQueryContainer

/**
 * Hits by their columns and scores alone. An id is kept with the whole document, vectors and all, and to read a thousand of
 * those takes several times as long as to find them: columns tell which items they are.
 */
export const COLUMNS_ALONE = { _source: false, stored_fields: '_none_' } as const
