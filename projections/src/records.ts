import type { ReadModelName } from '@medialog/application/ports'
import { decodedFrom, type DecodedEvent } from '@medialog/contract'
import type { Category } from '@medialog/domain'
import type { Projection } from './projection.ts'

interface Records {
  name: ReadModelName
  /** Whose events its reducer is told. */
  categories: ReadonlySet<Category>
}

/** The projection of a read model whose reducer makes its documents: it decodes events. */
export const recordsProjection = ({ name, categories }: Records): Projection<DecodedEvent> => ({
  name,
  batchSize: 512,
  project(recorded) {
    const event = decodedFrom(categories, recorded)
    return event ? [event] : []
  },
})
