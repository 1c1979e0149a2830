import type { estypes } from '@elastic/elasticsearch'

export type Query = estypes.QueryDslQueryContainer
