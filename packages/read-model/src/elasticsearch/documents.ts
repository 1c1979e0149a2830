import { createHash } from 'node:crypto'
import type { estypes } from '@elastic/elasticsearch'
import type { PositionedChange, ReadModelName } from '@medialog/application/ports'
import type { DecodedEvent } from '@medialog/contract'
import { canonicalJson, type Json, type LogPosition } from '@medialog/kernel'
import {
  kindsOf,
  reduceInto,
  type Documents,
  type Kind,
  type RecordModel,
  type RecordStore,
} from '../documents.ts'
import { keyword, SETTINGS, type IndexDefinition } from './definition.ts'
import { DocumentsOfBatch, type Place } from './documents-of-batch.ts'
import type { OpenedSnapshot, ReadOptions } from './snapshot.ts'
import type { Writing } from './writing.ts'

const IN_ORDER: ReadOptions = { pageSize: 1_000, sort: [{ id: 'asc' }] }

/** In the index a document is in a field that is called like its kind: so each kind has a mapping of its own. */
export interface StoredDocument {
  /** With the kind before it. */
  id: string
  /** `removed`: in place of what was removed, because an index forgets the versions of deleted documents. */
  kind: string
  [kind: string]: unknown
}
const REMOVED = 'removed'

/** Indices of documents have one shard: routing is what it is by default. */
export const placeOf = ({ name }: Kind, id: string): Place => ({
  id: `${name}/${id}`,
  routing: `${name}/${id}`,
})

/** Read models of documents in Elasticsearch. A document's version is the position of the last event that changed it. */
export function documentsIndex(store: RecordStore): IndexDefinition<DecodedEvent> {
  const { name, version, models, replaces } = store
  return {
    name,
    version,
    ...(replaces && { replaces }),
    settings: SETTINGS,
    isRefreshedByReaders: true,
    properties: { id: keyword, kind: keyword, ...Object.fromEntries(kindsOf(store).map(mappingOf)) },
    contentOf: (client, index) => ({
      apply: (events, writing) => apply(store, new DocumentsOfBatch(client, index), events, writing),
      async digests(snapshot) {
        const digests = new Map<ReadModelName, string>()
        for (const model of models) digests.set(model.name, await digestOf(model, snapshot))
        return digests
      },
    }),
  }
}

async function digestOf({ kinds }: RecordModel, snapshot: OpenedSnapshot): Promise<string> {
  const hash = createHash('sha256')
  const names = kinds.map((kind) => kind.name)
  for await (const document of snapshot.documents<StoredDocument>(names, IN_ORDER))
    hash.update(canonicalJson(document as Json))
  return hash.digest('hex')
}

const mappingOf = ({ name, fields }: Kind): [string, estypes.MappingProperty] => [
  name,
  { properties: Object.fromEntries([...fields].map(([field, type]) => [field, { type }])) },
]

async function apply(
  store: RecordStore,
  documents: DocumentsOfBatch<StoredDocument>,
  events: readonly PositionedChange<DecodedEvent>[],
  writing: Writing,
): Promise<void> {
  const { changed } = await reduceAll(store, documents, events)
  const all = Map.groupBy(changed, ([, { isWrittenLast }]) => isWrittenLast)
  const parts = [all.get(false), all.get(true)].filter((part) => part !== undefined)
  for (const [at, part] of parts.entries()) {
    for (const [id, { document, position }] of part) documents.put(id, id, document, position)
    await documents.write(writing, { last: at === parts.length - 1 })
  }
}

/**
 * Reducers do not wait: they are run until no document is asked for that was not read before. The ids of most are in the
 * events, so there are two runs, or three where documents name others.
 */
async function reduceAll(
  store: RecordStore,
  documents: DocumentsOfBatch<StoredDocument>,
  events: readonly PositionedChange<DecodedEvent>[],
): Promise<ReducedDocuments> {
  for (;;) {
    const reduced = new ReducedDocuments(documents)
    for (const { change, position } of events) {
      reduced.position = position
      reduceInto(store, change, reduced)
    }
    if (reduced.missing.length === 0) return reduced
    await documents.load(reduced.missing)
  }
}

interface Reduced {
  document: StoredDocument
  isWrittenLast: boolean
  position: LogPosition
}

/** What events make of the documents that were read. */
class ReducedDocuments implements Documents {
  /** Those that were asked for and not read. */
  readonly missing: Place[] = []
  readonly changed = new Map<string, Reduced>()
  /** Of the event that is reduced. */
  position: LogPosition = 0
  readonly #read: DocumentsOfBatch<StoredDocument>

  constructor(read: DocumentsOfBatch<StoredDocument>) {
    this.#read = read
  }

  get<D extends object>(kind: Kind<D>, id: string): D | null {
    const document = this.#documentAt(placeOf(kind, id))
    return (document?.[kind.name] as D | undefined) ?? null
  }

  put<D extends object>(kind: Kind<D>, id: string, document: D): void {
    this.#set(kind, id, { kind: kind.name, [kind.name]: document })
  }

  update<D extends object>(kind: Kind<D>, id: string, change: (before: D | null) => D | null): void {
    const before = this.get(kind, id)
    if (this.#hasSeen(placeOf(kind, id))) return
    const after = change(before)
    if (after === null) this.remove(kind, id)
    else if (after !== before) this.put(kind, id, after)
  }

  remove(kind: Kind, id: string): void {
    if (this.get(kind, id) !== null) this.#set(kind, id, { kind: REMOVED })
  }

  #documentAt(place: Place): StoredDocument | null {
    const changed = this.changed.get(place.id)
    if (changed) return changed.document
    const read = this.#read.known(place.id)
    if (!read) this.missing.push(place)
    return read?.document ?? null
  }

  /** Whether the document was written with the event, or with a later one. */
  #hasSeen({ id }: Place): boolean {
    return !this.changed.has(id) && this.#read.versionOf(id) >= this.position
  }

  #set(kind: Kind, id: string, document: { kind: string; [kind: string]: unknown }): void {
    const place = placeOf(kind, id)
    this.#documentAt(place)
    if (this.#hasSeen(place)) return
    const { isWrittenLast } = kind
    const { position } = this
    this.changed.set(place.id, { document: { id: place.id, ...document }, isWrittenLast, position })
  }
}
