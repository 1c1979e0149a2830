import { currentVersion } from '@medialog/contract'
import { publications, publishedJsonSchema, type Publication } from '@medialog/contract/events/published'
import type { DomainEvent } from '@medialog/domain'

export interface PublishedType {
  type: DomainEvent['type']
  publication: Publication
  /** Its schema's file in docs/events. */
  file: string
  /** The file's text. */
  schema: string
}

/** Every event type that is published, with the JSON Schema of its payload. */
export const publishedTypes = (): PublishedType[] =>
  (Object.entries(publications) as [DomainEvent['type'], Publication | 'internal'][]).flatMap(
    ([type, publication]) => {
      if (publication === 'internal') return []
      const version = currentVersion(type)
      const { $schema, ...schema } = publishedJsonSchema(publication)
      const title = `medialog.${type}, version ${version}`
      const text = JSON.stringify({ $schema, title, ...schema }, null, 2)
      return { type, publication, file: `${type}.v${version}.json`, schema: `${text}\n` }
    },
  )
