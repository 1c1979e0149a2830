import type { RequestContext } from '../core/context.ts'
import { advancedSearch, type AdvancedSearch, type FoundConnected } from './advanced-search.ts'
import { searchMedia, type BasicSearch, type FoundMedia } from './search.ts'
import { similarMedia, type FoundSimilar, type SimilarPorts, type SimilarSearch } from './similar.ts'

/** Each @throws CollectionNotFound, EngineUnavailable */
export interface SearchUseCases {
  search(context: RequestContext, query: BasicSearch): Promise<FoundMedia>
  /**
   * As `search`, and what is connected with what was found. Costs by the depth reached.
   * @throws AccountSuspended, InsufficientFunds, IdempotencyKeyReused, RequestInProgress, ReplayGone
   */
  advanced(context: RequestContext, query: AdvancedSearch): Promise<FoundConnected>
  /** What is similar to an item in content. @throws MediaItemNotFound, and as `advanced` */
  similar(context: RequestContext, query: SimilarSearch): Promise<FoundSimilar>
}

export const search = (ports: SimilarPorts): SearchUseCases => ({
  search: (context, query) => searchMedia(ports, context, query),
  advanced: (context, query) => advancedSearch(ports, context, query),
  similar: (context, query) => similarMedia(ports, context, query),
})
