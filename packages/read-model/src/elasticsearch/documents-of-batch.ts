import type { Client, estypes } from '@elastic/elasticsearch'
import type { Write } from './bulk.ts'
import type { Writing } from './writing.ts'

/** Where a document is: its routing tells the shard. */
export interface Place {
  id: string
  routing: string
}

export interface Found<Document> {
  document: Document | null
  /** The log position it was written for; 0 for no document. */
  version: number
}

type Known<Document> = Found<Document> & { routing: string }

export interface DocumentsOptions<Document> {
  /** Documents are read and encoded so many at a time. */
  atOnce?: number
  /** Fields that are not read. */
  excludes?: string[]
  /** A document as it was before it was written. */
  decoded?: (document: Document) => Document
}

/**
 * The documents that changes are about: as they are in the index, then as the changes leave them, until they are
 * written. Always whole ones: an update in part has no external version.
 */
export class DocumentsOfBatch<Document extends object> {
  readonly client: Client
  readonly index: string
  readonly #atOnce: number
  readonly #source: estypes.SearchSourceConfig | undefined
  readonly #decoded: (document: Document) => Document
  readonly #known = new Map<string, Known<Document>>()
  readonly #changed = new Set<string>()

  constructor(
    client: Client,
    index: string,
    { atOnce = 500, excludes, decoded = (document) => document }: DocumentsOptions<Document> = {},
  ) {
    this.client = client
    this.index = index
    this.#atOnce = atOnce
    this.#source = excludes && { excludes }
    this.#decoded = decoded
  }

  /** Reads those that are not known yet. */
  async load(places: readonly Place[]): Promise<void> {
    const wanted = new Map(places.filter(({ id }) => !this.#known.has(id)).map((place) => [place.id, place]))
    for (const part of this.#parts([...wanted.values()]))
      for (const [at, found] of (await this.read(part)).entries()) {
        const { id, routing } = part[at]!
        this.#known.set(id, { routing, ...found })
      }
  }

  /** As the changes so far left it; null where it was not read. */
  known(id: string): Found<Document> | null {
    return this.#known.get(id) ?? null
  }

  /** As the changes so far left it, read first where it is not known. */
  async get<Wanted extends Document>(id: string, routing: string): Promise<Wanted | null> {
    await this.load([{ id, routing }])
    return this.#known.get(id)!.document as Wanted | null
  }

  /** The log position that the document was written for; 0 for no document. */
  versionOf(id: string): number {
    return this.#known.get(id)?.version ?? 0
  }

  put(id: string, routing: string, document: Document, position: number): void {
    this.#known.set(id, { document, routing, version: position })
    this.#changed.add(id)
  }

  /** As they are in the index now. */
  async read(places: readonly Place[]): Promise<Found<Document>[]> {
    const { docs } = await this.client.mget<Document>({
      index: this.index,
      docs: places.map(({ id, routing }) => ({
        _id: id,
        routing,
        ...(this.#source && { _source: this.#source }),
      })),
    })
    return docs.map((found) =>
      'found' in found && found.found
        ? { document: this.#decoded(found._source!), version: found._version! }
        : { document: null, version: 0 },
    )
  }

  /** Writes what changed. `encode`: a document as the index has it; `last`: this is the end of the batch. */
  async write(
    writing: Writing,
    {
      encode = async (documents) => documents,
      last = false,
    }: {
      encode?: (documents: Document[]) => Promise<object[]>
      last?: boolean
    } = {},
  ): Promise<void> {
    const ids = [...this.#changed]
    await writing.write(this.#writes(ids, encode), last)
    this.#changed.clear()
  }

  async *#writes(
    ids: readonly string[],
    encode: (documents: Document[]) => Promise<object[]>,
  ): AsyncGenerator<Write> {
    for (const part of this.#parts(ids)) {
      const known = part.map((id) => ({ id, ...this.#known.get(id)! }))
      const documents = await encode(known.map(({ document }) => document!))
      for (const [at, { id, routing, version }] of known.entries())
        yield { id, routing, version, document: documents[at]! }
    }
  }

  #parts<T>(all: readonly T[]): T[][] {
    const parts: T[][] = []
    for (let from = 0; from < all.length; from += this.#atOnce)
      parts.push(all.slice(from, from + this.#atOnce))
    return parts
  }
}
