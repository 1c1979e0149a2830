import type { StoreName } from '@medialog/application/ports'
import { decodedFrom, type DecodedEvent } from '@medialog/contract'
import type { Category } from '@medialog/domain'
import type { Projection } from './projection.ts'

interface Store {
  name: StoreName
  /** Their reducers by category. */
  models: readonly { reducers: { readonly [C in Category]?: unknown } }[]
}

/** The projection of read models whose reducers make their documents: it decodes each event once for all of them. */
export function recordsProjection({ name, models }: Store): Projection<DecodedEvent> {
  const categories = new Set(models.flatMap(({ reducers }) => Object.keys(reducers) as Category[]))
  return {
    name,
    batchSize: 512,
    project(recorded) {
      const event = decodedFrom(categories, recorded)
      return event ? [event] : []
    },
  }
}
