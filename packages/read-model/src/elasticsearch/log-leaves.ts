import {
  BLOCK,
  EngineUnavailable,
  type Leaf,
  type LogLeaves,
  type PlacedLeaf,
} from '@medialog/application/ports'
import type { LogPosition, Revision, StreamName } from '@medialog/kernel'
import { writeAll, type Write } from './bulk.ts'
import { isConflict, statusOf, unavailableWhenAway } from './connection.ts'
import { keyword, long } from './definition.ts'
import { lastingIndex } from './lasting-index.ts'
import { collected, everything } from './pages.ts'
import type { Query } from './query.ts'
import type { ReaderOptions } from './reader.ts'

/** Where the leaves end, and which writer may add to them: leaves beyond it do not count yet. */
interface HeadDocument {
  id: typeof HEAD
  size: number
  /** Of the last leaf. */
  position: LogPosition
  /** One more for each writer that took over. */
  epoch: number
}

interface LeafDocument extends PlacedLeaf {
  id: string
}

interface BlockDocument {
  id: string
  /** Base64. */
  root: string
}

/** The head as it was found or written, by which the engine tells whether it is that still. */
interface Head extends Omit<HeadDocument, 'id'> {
  condition: { if_seq_no: number; if_primary_term: number } | { op_type: 'create' }
}

const HEAD = 'head'
const NONE: Head = { size: 0, position: -1, epoch: 0, condition: { op_type: 'create' } }
/** Documents that are asked for at once: some hundred kilobytes. */
const AT_ONCE = 2_048

const leafId = (index: number): string => `leaf/${index}`
const blockId = (number: number): string => `block/${number}`

/** The index that the leaves are in. */
export const leavesIndexOf = (prefix: string): string => `${prefix}leaves`

/**
 * The leaves in an index that no rebuild replaces, for one process that writes at a time and any that read. A document a
 * leaf; those that the head counts are permanent. A writer that appends first takes the head over with another epoch, which
 * is the version of what it writes from then on: one that was stalled meanwhile can neither move the head any more nor
 * replace what its successor wrote.
 */
export function openElasticsearchLeaves({ client, prefix }: ReaderOptions): LogLeaves {
  const index = leavesIndexOf(prefix)
  const { make } = lastingIndex(client, index, {
    index: long,
    position: long,
    stream: keyword,
    revision: long,
  })
  /** The head while it is this writer's. */
  let own: Head | null = null

  async function head(): Promise<Head> {
    try {
      const found = await client.get<HeadDocument>({ index, id: HEAD })
      const { id: _, ...source } = found._source!
      return { ...source, condition: { if_seq_no: found._seq_no!, if_primary_term: found._primary_term! } }
    } catch (error) {
      if (statusOf(error) === 404) return NONE
      throw error
    }
  }

  async function moveHead({ condition, ...from }: Head, to: Partial<HeadDocument>): Promise<Head> {
    const document: HeadDocument = { id: HEAD, ...from, ...to }
    try {
      const written = await client.index({ index, id: HEAD, ...condition, document })
      const { id: _, ...source } = document
      return {
        ...source,
        condition: { if_seq_no: written._seq_no!, if_primary_term: written._primary_term! },
      }
    } catch (error) {
      if (isConflict(error)) throw unavailable('another process writes them')
      throw error
    }
  }

  async function takeOver(): Promise<Head> {
    await make()
    const found = await head()
    return moveHead(found, { epoch: found.epoch + 1 })
  }

  async function add(
    before: Head,
    size: number,
    leaves: readonly Leaf[],
    blocks: readonly Uint8Array[],
  ): Promise<Head> {
    if (before.size !== size) throw unavailable(`there are ${before.size} leaves, not ${size}`)
    const position = lastOf(leaves, before.position)
    await writeAll(client, index, documents(before.epoch, size, leaves, blocks))
    return moveHead(before, { size: size + leaves.length, position })
  }

  /** Those of the ids, all of which have to be there. */
  async function documentsOf<Document>(ids: readonly string[]): Promise<Document[]> {
    const found: Document[] = []
    for (let from = 0; from < ids.length; from += AT_ONCE) {
      const { docs } = await client.mget<Document>({ index, ids: ids.slice(from, from + AT_ONCE) })
      for (const doc of docs) {
        if (!('found' in doc) || !doc.found) throw unavailable(`${doc._id} is not there`)
        found.push(doc._source!)
      }
    }
    return found
  }

  async function search(filter: Query): Promise<PlacedLeaf[]> {
    const { size } = await head()
    if (size === 0) return []
    await client.indices.refresh({ index })
    const query = { bool: { filter: [filter, { range: { index: { lt: size } } }] } }
    const sort: Record<string, 'asc'>[] = [{ revision: 'asc' }, { index: 'asc' }]
    return (await collected(everything<LeafDocument>(client, { index, query, sort }))).map(placed)
  }

  return unavailableWhenAway<LogLeaves>({
    size: async () => (await head()).size,

    async append(size, leaves, blocks) {
      const before = own ?? (await takeOver())
      // After a cut-off the outcome is unknown: the next append reads it, and takes over from the writer that it finds.
      own = null
      own = await add(before, size, leaves, blocks)
    },

    // What was answered for is on disk.
    flush: async () => undefined,

    async read(from, limit) {
      const end = Math.min(from + limit, (await head()).size)
      return (await documentsOf<LeafDocument>(ids(leafId, from, end))).map(placed)
    },

    async blocks() {
      const complete = Math.floor((await head()).size / BLOCK)
      const found = await documentsOf<BlockDocument>(ids(blockId, 0, complete))
      return found.map(({ root }) => Buffer.from(root, 'base64'))
    },

    ofStream: (stream: StreamName, revision?: Revision) =>
      search({
        bool: {
          filter: [{ term: { stream } }, ...(revision === undefined ? [] : [{ term: { revision } }])],
        },
      }),

    atPosition: async (position) => (await search({ term: { position } }))[0] ?? null,

    close: async () => undefined,
  })
}

function* documents(
  epoch: number,
  size: number,
  leaves: readonly Leaf[],
  blocks: readonly Uint8Array[],
): Generator<Write> {
  for (const [number, leaf] of leaves.entries()) {
    const index = size + number
    yield writeOf(epoch, { id: leafId(index), index, ...leaf })
  }
  const first = Math.floor(size / BLOCK)
  for (const [number, root] of blocks.entries())
    yield writeOf(epoch, {
      id: blockId(first + number),
      root: Buffer.from(root).toString('base64'),
    })
}

/** In place of what an earlier epoch, or this one before, left there. */
const writeOf = (version: number, document: LeafDocument | BlockDocument): Write => ({
  id: document.id,
  routing: document.id,
  version,
  again: true,
  document,
})

/** @throws EngineUnavailable where they are not in the log's order */
function lastOf(leaves: readonly Leaf[], before: LogPosition): LogPosition {
  let last = before
  for (const { position } of leaves) {
    if (position <= last) throw unavailable(`position ${position} does not come behind ${last}`)
    last = position
  }
  return last
}

const ids = (idOf: (number: number) => string, from: number, end: number): string[] =>
  Array.from({ length: Math.max(0, end - from) }, (_, number) => idOf(from + number))

function placed(document: LeafDocument): PlacedLeaf {
  const { id: _, ...leaf } = document
  return leaf
}

const unavailable = (why: string) => new EngineUnavailable('leaves of the log', why)
