import type { Client } from '@elastic/elasticsearch'
import type { CatalogChange, Digests, PositionedChange } from '@medialog/application/ports'
import type { LogPosition } from '@medialog/kernel'
import { writeAll } from '../bulk.ts'
import type { ErasingContent, IndexContent } from '../definition.ts'
import type { OpenedSnapshot } from '../snapshot.ts'
import type { Writing } from '../writing.ts'
import { CatalogDocuments } from './catalog-documents.ts'
import { applyChange, concerned } from './changes.ts'
import { digestOf } from './digest.ts'
import { contentId, itemId, type AnyDocument, type ItemDocument } from './documents.ts'
import { addSpace, spaceName } from './mapping.ts'

type Changes = readonly PositionedChange<CatalogChange>[]

/** What one index of the catalog holds. */
export class CatalogIndex implements IndexContent<CatalogChange> {
  readonly #client: Client
  readonly #index: string
  /** Whose fields are mapped. */
  readonly #spaces = new Set<string>()
  /** What is erased elsewhere: by ingest, until the log has come to it. */
  readonly #erasedAhead = new Map<string, LogPosition>()

  constructor(client: Client, index: string) {
    this.#client = client
    this.#index = index
  }

  async digests(snapshot: OpenedSnapshot): Promise<Digests> {
    return new Map([['catalog', await digestOf(snapshot)]])
  }

  async apply(changes: Changes, writing: Writing): Promise<void> {
    const documents = new CatalogDocuments(this.#client, this.#index)
    const write = (last = false) =>
      documents.writeAll(writing, (document) => this.#withoutErased(document), last)
    await documents.load(changes.flatMap(({ change }) => concerned(change)))
    await this.#addSpaces(changes)
    for (const { change, position } of changes) await applyChange(documents, change, position, write)
    await write(true)
  }

  readonly erasing: ErasingContent<CatalogChange> = {
    erases: (change) => erasedBy(change) !== null,
    eraseAhead: (changes) => this.#eraseAhead(changes),
    passed: (position) => {
      for (const [ingest, until] of this.#erasedAhead) if (until <= position) this.#erasedAhead.delete(ingest)
    },
  }

  async #eraseAhead(changes: Changes): Promise<number> {
    const documents = new CatalogDocuments(this.#client, this.#index)
    let wiped = 0
    for (const { change, position } of changes) {
      const { account, media, ingest } = erasedBy(change)!
      this.#erasedAhead.set(ingestKey(media, ingest), position)
      const item = await documents.get<ItemDocument>(itemId(account, media), account)
      if (item?.kind !== 'item' || item.ingest !== ingest) continue
      const content = await documents.get(contentId(account, media), account)
      const there = content ? [item, content] : [item]
      // At the positions that they have: what is to come to the item here before its deletion still comes.
      const writes = there.map((document) => {
        const id = document.kind === 'item' ? itemId(account, media) : contentId(account, media)
        const version = documents.versionOf(id)
        return { id, routing: account, version, again: true, document: wipe(document) }
      })
      await writeAll(this.#client, this.#index, writes)
      wiped++
    }
    return wiped
  }

  async #addSpaces(changes: Changes): Promise<void> {
    for (const { change } of changes) {
      if (!('vectors' in change) || change.vectors.dimensions === 0) continue
      const { model, dimensions } = change.vectors
      const name = spaceName(model, dimensions)
      if (this.#spaces.has(name)) continue
      await addSpace(this.#client, this.#index, name, dimensions)
      this.#spaces.add(name)
    }
  }

  #withoutErased(document: AnyDocument): AnyDocument {
    if (document.kind !== 'item' && document.kind !== 'content') return document
    return this.#erasedAhead.has(ingestKey(document.media, document.ingest)) ? wipe(document) : document
  }
}

const ingestKey = (media: string, ingest: string): string => `${media}/${ingest}`

/** The ingest whose content the change takes away. */
function erasedBy(change: CatalogChange): { account: string; media: string; ingest: string } | null {
  switch (change.type) {
    case 'RemoveItem':
      return { account: change.accountId, media: change.mediaId, ingest: change.ingestId }
    case 'ReplaceItem': {
      const { accountId: account, mediaId: media } = change.item
      return { account, media, ingest: change.previousIngestId }
    }
    default:
      return null
  }
}

/** Leaves what later changes need: place and time. */
function wipe(document: AnyDocument): AnyDocument {
  switch (document.kind) {
    case 'item':
      return { ...document, space: null, labels: [], links: [], record: '', chunks: [] }
    case 'content':
      return { ...document, text: '', dimensions: 0, vectors: { combined: '', short: '', chunks: '' } }
    default:
      return document
  }
}
