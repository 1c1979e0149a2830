import { MediaNotFound } from '@medialog/domain'
import { counted, type LogPosition } from '@medialog/kernel'
import { encodeReembedded, isOfVectors } from '../artifacts/encoding.ts'
import type { Ports } from '../core/ports.ts'
import { SYSTEM } from '../event-sourcing/executing.ts'
import type { OperationKinds } from '../operations/operations.ts'
import { EngineUnavailable, type EmbeddedItem } from '../ports/index.ts'
import { embeddingStatus } from './status.ts'

export type MigrationPorts = Pick<
  Ports,
  | 'artifacts'
  | 'catalog'
  | 'clock'
  | 'embedder'
  | 'formerEmbedders'
  | 'projections'
  | 'streams'
  | 'understanding'
>

/** Items looked at between two waits for the catalog. */
const PAGE = 32
/** Texts that wait for the embedder at once: fewer than open another session, so uploads and queries have their turn. */
const TEXTS_AT_ONCE = 8
const CATCH_UP_MS = 300_000

/**
 * `embeddings-migrate`: gives every item vectors of the configured embedder, one item after the other. An item changes
 * over whole, by one event, and is searched by the vectors that it has; so what is done is done, whenever it ends, and
 * begun again it goes on with the rest.
 */
export function embeddingOperations(ports: MigrationPorts): Pick<OperationKinds, 'embeddings-migrate'> {
  return {
    async 'embeddings-migrate'(_request, report) {
      const started = performance.now()
      const { model, pending: total } = await embeddingStatus(ports)
      const counts = { reembedded: 0, gone: 0 }
      const tell = (): void => {
        const done = counts.reembedded + counts.gone
        report(total === 0 ? 1 : Math.min(1, done / total), `${done} of ${counted(total, 'item')}`)
      }
      tell()
      for await (const page of pages(ports)) {
        let written: LogPosition = 0
        for (const item of page) {
          if (item.model === model) continue
          const position = await reembed(ports, item)
          if (position === null) counts.gone++
          else counts.reembedded++
          written = Math.max(written, position ?? 0)
          tell()
        }
        await catalogAt(ports, written)
        for (const item of page) await dropReplaced(ports, item)
      }
      const { pending } = await embeddingStatus(ports)
      const seconds = (performance.now() - started) / 1_000
      return { model, ...counts, pending, seconds }
    },
  }
}

/** All items of all accounts; those that come while it goes on have vectors of the configured embedder already. */
async function* pages({ catalog }: MigrationPorts): AsyncGenerator<EmbeddedItem[]> {
  for (let last: EmbeddedItem | null = null; ;) {
    const page: EmbeddedItem[] = await catalog.embedded(last, PAGE)
    if (page.length === 0) return
    yield page
    last = page.at(-1)!
  }
}

/**
 * Embeds what is kept of an item, stores the vectors beside the others and records them. Null where the item was
 * deleted or replaced meanwhile: then nothing is left of them.
 */
async function reembed(ports: MigrationPorts, item: EmbeddedItem): Promise<LogPosition | null> {
  const { accountId, mediaId, ingestId } = item
  const content = await ports.catalog.content(accountId, mediaId)
  const kept = content && (await artifactsOf(ports, item))
  if (!kept) return null
  const vectors = await ports.understanding.embed(content.chunks, {
    textsAtOnce: TEXTS_AT_ONCE,
    isBackground: true,
  })
  const { name, bytes } = encodeReembedded(vectors)
  const receipt = await ports.artifacts.add({ accountId, mediaId, ingestId }, name, bytes)
  if (!receipt) return null
  const others = Object.entries(kept).filter(([other]) => !isOfVectors(other))
  const artifacts = { ...Object.fromEntries(others), [name]: receipt }
  const record = { ingestId, embedder: vectors.model, artifacts, at: ports.clock.now() }
  try {
    const command = { type: 'RecordEmbedding', record } as const
    return (await ports.streams.execute('media', mediaId, command, { ...SYSTEM, accountId })).position
  } catch (error) {
    // The eraser of the item removes its artifacts, these among them.
    if (error instanceof MediaNotFound) return null
    throw error
  }
}

/** What the ingest rests on by now; null where it is not the item's any more. */
async function artifactsOf({ streams }: MigrationPorts, { mediaId, ingestId }: EmbeddedItem) {
  const { selected } = await streams.load('media', mediaId, ({ item }) =>
    item?.ingestId === ingestId ? item.artifacts : null,
  )
  return selected
}

/**
 * Removes vectors that others took the place of, and what a crash left unrecorded: only once the catalog shows the ones
 * that stay, so that a rebuild finds what it needs wherever it stands.
 */
async function dropReplaced(ports: MigrationPorts, item: EmbeddedItem): Promise<void> {
  const { accountId, mediaId, ingestId } = item
  const kept = await artifactsOf(ports, item)
  if (kept) await ports.artifacts.retain({ accountId, mediaId, ingestId }, Object.keys(kept))
}

async function catalogAt({ projections }: MigrationPorts, position: LogPosition): Promise<void> {
  const options = { readModels: ['catalog'], timeoutMs: CATCH_UP_MS } as const
  if (position > 0 && !(await projections.reached(position, options)))
    throw new EngineUnavailable(
      'catalog',
      'The catalog does not follow the log: start it again once it does.',
    )
}
