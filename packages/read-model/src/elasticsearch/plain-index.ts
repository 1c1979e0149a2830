import { createHash } from 'node:crypto'
import type { estypes } from '@elastic/elasticsearch'
import type { PositionedChange, ReadModelName } from '@medialog/application/ports'
import type { LogPosition } from '@medialog/kernel'
import { keyword, SETTINGS, type IndexDefinition } from './definition.ts'
import { DocumentsOfBatch, type Place } from './documents-of-batch.ts'
import type { ReadOptions } from './snapshot.ts'
import type { Writing } from './writing.ts'

const IN_ORDER: ReadOptions = { pageSize: 1_000, sort: [{ id: 'asc' }] }

export interface PlainDocument {
  kind: string
}

/** A read model whose documents are each changed by an event at most once: without content that is ever taken away. */
export interface PlainDefinition<Change, Document extends PlainDocument> {
  name: ReadModelName
  version: number
  /** What is searched and sorted by, besides `id` and `kind`. */
  properties: Record<string, estypes.MappingProperty>
  kinds: readonly Document['kind'][]
  /** What the change looks at: loaded for many changes at once. */
  concerned: (change: Change, position: LogPosition) => Place[]
  apply: (documents: PlainDocuments<Document>, change: Change, position: number) => Promise<void>
  /** What cannot be made again once the others have landed: it lands before them. */
  isFirst?: (document: Document) => boolean
  /** What of the document two builds must agree on, null for nothing. */
  digested?: (document: Document) => unknown
}

/** Changes come again after a cut: a document's version tells which of them it has seen. */
export class PlainDocuments<Document extends PlainDocument> extends DocumentsOfBatch<Document> {
  /** Puts what `made` makes of the document as it was (null: not there), unless it has seen that position, or is left as it was. */
  async change<One extends Document>(
    { id, routing }: Place,
    position: number,
    made: (before: One | null) => One | null,
  ): Promise<void> {
    const before = await this.get<One>(id, routing)
    if (this.versionOf(id) >= position) return
    const after = made(before)
    if (after !== null) this.put(id, routing, { ...after, id }, position)
  }
}

export function plainIndex<Change, Document extends PlainDocument>(
  definition: PlainDefinition<Change, Document>,
): IndexDefinition<Change> {
  const { name, version, properties, kinds, digested = (document) => document } = definition
  return {
    name,
    version,
    settings: SETTINGS,
    properties: { id: keyword, kind: keyword, ...properties },
    contentOf: (client, index) => ({
      apply: (changes, writing) => apply(definition, new PlainDocuments(client, index), changes, writing),
      async digest(snapshot) {
        const hash = createHash('sha256')
        for await (const document of snapshot.documents<Document>(kinds, IN_ORDER)) {
          const of = digested(document)
          if (of !== null) hash.update(JSON.stringify(sorted(of)))
        }
        return hash.digest('hex')
      },
    }),
  }
}

async function apply<Change, Document extends PlainDocument>(
  { concerned, apply, isFirst }: PlainDefinition<Change, Document>,
  documents: PlainDocuments<Document>,
  changes: readonly PositionedChange<Change>[],
  writing: Writing,
): Promise<void> {
  await documents.load(changes.flatMap(({ change, position }) => concerned(change, position)))
  for (const { change, position } of changes) await apply(documents, change, position)
  if (isFirst) await documents.write(writing, { only: isFirst })
  await documents.write(writing, { last: true })
}

/** The order in which an object got its fields is no part of what it says. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return fields.map(([name, of]) => [name, sorted(of)])
}
