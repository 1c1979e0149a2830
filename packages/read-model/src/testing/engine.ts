import type {
  AdvancedAnswer,
  AdvancedQuery,
  Catalog,
  CatalogChange,
  ErasureLedger,
  Search,
  SearchAnswer,
  SearchQuery,
} from '@medialog/application/ports'
import type { LogPosition } from '@medialog/kernel'

/** A read model under test, empty at first: what every engine's factory makes. */
export interface CatalogEngine {
  catalog: Catalog
  search: Search
  erasures: ErasureLedger
  /** Applies one batch, as of these positions, and resolves once readers see it. */
  apply(changes: readonly PlacedChange[]): Promise<void>
  close(): Promise<void>
}

export interface PlacedChange {
  position: LogPosition
  change: CatalogChange
}

export type CatalogEngineFactory = () => Promise<CatalogEngine>

/** Applies changes one position after the other, as a log would tell them. */
export function logOf(engine: Pick<CatalogEngine, 'apply'>) {
  const history: PlacedChange[] = []
  return {
    history,
    async record(...changes: CatalogChange[]): Promise<LogPosition> {
      const placed = changes.map((change, index) => ({ change, position: history.length + index + 1 }))
      history.push(...placed)
      await engine.apply(placed)
      return history.length
    },
  }
}

/** A query whose vectors are there. */
export const searched = async (search: Search, { vectors, ...query }: SearchQuery): Promise<SearchAnswer> =>
  (await search.prepare(query)).search(vectors)

export const advancedSearch = async (
  search: Search,
  { vectors, contextDepth, expansionFactor, ...query }: AdvancedQuery,
): Promise<AdvancedAnswer> =>
  (await search.prepare(query)).advanced(vectors, { contextDepth, expansionFactor })
