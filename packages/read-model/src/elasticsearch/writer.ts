import type { Client } from '@elastic/elasticsearch'
import type {
  CatalogChange,
  PositionedChange,
  ReadModelSnapshot,
  ReadModelBuild,
  Unwiped,
} from '@medialog/application/ports'
import { createLock, type LogPosition } from '@medialog/kernel'
import { writeAll } from './bulk.ts'
import { applyChange, concerned } from './changes.ts'
import type { Checkpoint } from './checkpoint.ts'
import { failureOf } from './connection.ts'
import { digestOf, openSnapshot } from './digest.ts'
import { DocumentsOfBatch } from './documents-of-batch.ts'
import { contentId, itemId, type AnyDocument, type ItemDocument } from './documents.ts'
import { Expunging } from './expunging.ts'
import { addSpace, type Indices } from './indices.ts'
import { spaceName } from './mapping.ts'

export interface WriterOptions {
  client: Client
  indices: Indices
  epoch: number
  checkpoint: Checkpoint
  /** Whether it is in service: then what is applied is seen when `applyBatch` resolves. */
  inService: boolean
  onWipeFailed: (error: Error) => void
}

/** One build of the catalog. Batches, snapshots and what is erased ahead take turns. */
export class CatalogWriter implements ReadModelBuild<CatalogChange> {
  readonly epoch: number
  readonly #client: Client
  readonly #indices: Indices
  readonly #index: string
  readonly #checkpoint: Checkpoint
  readonly #expunging: Expunging
  readonly #exclusively = createLock()
  /** Whose fields are mapped. */
  readonly #spaces = new Set<string>()
  #inService: boolean
  /** What is erased elsewhere: by ingest, until the log has come to it. */
  readonly #erasedAhead = new Map<string, LogPosition>()

  constructor({ client, indices, epoch, checkpoint, inService, onWipeFailed }: WriterOptions) {
    this.epoch = epoch
    this.#client = client
    this.#indices = indices
    this.#index = indices.nameOf(epoch)
    this.#checkpoint = checkpoint
    this.#inService = inService
    this.#expunging = new Expunging(client, this.#index, onWipeFailed)
    // A stop came between a removal and its wiping.
    if (checkpoint.unwiped) this.#expunging.schedule(1)
  }

  get position(): LogPosition {
    return this.#checkpoint.position
  }

  get unwiped(): Unwiped {
    return this.#expunging.unwiped
  }

  /**
   * Documents first, then they are made visible, then the checkpoint: what comes to an end in between is done again,
   * and finds most of it done.
   */
  applyBatch(
    changes: readonly PositionedChange<CatalogChange>[],
    position: LogPosition,
    hash: string | null = null,
  ): Promise<void> {
    return this.#inTurn(async () => {
      if (position <= this.position) return
      const news = changes.filter((change) => change.position > this.position)
      if (news.length > 0) {
        await this.#checkpoint.check()
        await this.apply(news)
      }
      this.#expunging.schedule(news.filter(({ change }) => erasedBy(change) !== null).length)
      await this.#checkpoint.moveTo(position, hash, this.unwiped.removals > 0)
      for (const [ingest, until] of this.#erasedAhead) if (until <= position) this.#erasedAhead.delete(ingest)
    })
  }

  /** Applies the changes, whether they are beyond the checkpoint or not, and leaves that where it is. */
  async apply(changes: readonly PositionedChange<CatalogChange>[]): Promise<void> {
    const documents = new DocumentsOfBatch(this.#client, this.#index)
    const write = () => documents.write((document) => this.#withoutErased(document))
    await documents.load(changes.flatMap(({ change }) => concerned(change)))
    await this.#addSpaces(changes)
    for (const { change, position } of changes) await applyChange(documents, change, position, write)
    await write()
    if (this.#inService) await this.#refresh()
  }

  eraseAhead(changes: readonly PositionedChange<CatalogChange>[]): Promise<void> {
    return this.#inTurn(async () => {
      const ahead = changes.filter(({ change, position }) => position > this.position && erasedBy(change))
      const documents = new DocumentsOfBatch(this.#client, this.#index)
      let wiped = 0
      for (const { change, position } of ahead) {
        const { account, media, ingest } = erasedBy(change)!
        this.#erasedAhead.set(ingestKey(media, ingest), position)
        const item = await documents.get<ItemDocument>(itemId(account, media), account)
        if (item?.kind !== 'item' || item.ingest !== ingest) continue
        const content = await documents.get(contentId(account, media), account)
        const there = content ? [item, content] : [item]
        // At the positions that they have: what is to come to the item here before its deletion still comes.
        const writes = there.map((document) => {
          const id = document.kind === 'item' ? itemId(account, media) : contentId(account, media)
          return { id, account, version: documents.versionOf(id), again: true, document: wipe(document) }
        })
        await writeAll(this.#client, this.#index, writes)
        wiped++
      }
      this.#expunging.schedule(wiped)
    })
  }

  snapshot(): Promise<ReadModelSnapshot> {
    return this.#inTurn(async () => {
      await this.#refresh()
      const opened = await openSnapshot(this.#client, this.#index)
      return {
        position: this.position,
        digest: () => this.#watched(() => digestOf(opened)),
        close: () => this.#watched(() => opened.close()),
      }
    })
  }

  flushErased(): Promise<void> {
    return this.#watched(() => this.#expunging.flush())
  }

  promote(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#refresh()
      await this.#indices.promote(this.epoch)
      this.#inService = true
      await this.#indices.sweep(this.epoch)
    })
  }

  async discard(): Promise<void> {
    await this.close()
    await this.#watched(() => this.#indices.remove(this.epoch))
  }

  close(): Promise<void> {
    return this.#exclusively(() => this.#expunging.stop())
  }

  async #refresh(): Promise<void> {
    await this.#client.indices.refresh({ index: this.#index })
  }

  async #addSpaces(changes: readonly PositionedChange<CatalogChange>[]): Promise<void> {
    for (const { change } of changes) {
      if (!('vectors' in change) || change.vectors.dimensions === 0) continue
      const { model, dimensions } = change.vectors
      const name = spaceName(model, dimensions)
      if (this.#spaces.has(name)) continue
      await addSpace(this.#client, this.#index, name, dimensions)
      this.#spaces.add(name)
    }
  }

  #withoutErased<Document extends AnyDocument>(document: Document): Document {
    if (document.kind !== 'item' && document.kind !== 'content') return document
    return this.#erasedAhead.has(ingestKey(document.media, document.ingest)) ? wipe(document) : document
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#exclusively(() => this.#watched(work))
  }

  async #watched<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw failureOf(error)
    }
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

/** Leaves what comes later stands on: place and time. */
function wipe<Document extends AnyDocument>(document: Document): Document {
  switch (document.kind) {
    case 'item':
      return { ...document, space: null, labels: [], links: [], record: '', chunks: [] }
    case 'content':
      return { ...document, text: '', dimensions: 0, vectors: { combined: '', short: '', chunks: '' } }
    default:
      return document
  }
}
