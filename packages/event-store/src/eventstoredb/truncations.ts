import { randomUUID } from 'node:crypto'
import { jsonEvent, metastreamOf } from '@eventstore/db-client'
import type { Revision, StreamName } from '@medialog/kernel'
import { appendAt, type AppendingPorts } from './append-at.ts'
import type { ChainedEvent } from '../chain.ts'
import { isTombstoned } from './failures.ts'
import type { Pages } from './pages.ts'
import { decodeEvent } from './stored-event.ts'
import type { Streams } from './streams.ts'

interface StreamMetadata {
  /** The first revision that reads of the stream show. */
  $tb?: number
  /** How many of the last events they show, and for how many seconds: the service sets neither. */
  $maxCount?: number
  $maxAge?: number
  [name: string]: unknown
}

/** What reads of a stream show. */
export interface Shown {
  /** The first revision; Infinity where nothing is shown. */
  from: Revision
  /** Why that is not what the service left of it, or null. */
  damage: string | null
}

const ALL: Shown = { from: 0, damage: null }

export const TOMBSTONED = 'it was deleted for good by somebody else, with a tombstone'
const DELETED = 'it was deleted by somebody else: none of its events is shown'

export interface TruncationPorts extends AppendingPorts {
  pages: Pages
  streams: Streams
  /** Whether it may be the first event that is left of its stream. */
  mayBegin: (event: ChainedEvent) => boolean
}

/**
 * From which revision on streams are shown. The server keeps it in each stream's metadata and goes by it where the stream
 * is read; what it hides there, reads of all streams still show until it is scavenged.
 */
export class Truncations {
  #ports: TruncationPorts

  constructor(ports: TruncationPorts) {
    this.#ports = ports
  }

  /** Somebody else can hide more of it than the service ever would. */
  async shown(stream: StreamName): Promise<Shown> {
    const { availability, mayBegin, pages, streams } = this.#ports
    try {
      const { $tb = 0, $maxCount, $maxAge } = (await this.#read(stream)).metadata
      if ($tb === 0 && $maxCount === undefined && $maxAge === undefined) return ALL
      const page = await availability.attempt(() =>
        pages.ofStream(streams.onServer(stream), 0, 'forwards', 1),
      )
      const [first] = page ?? []
      if (!first) return { from: Infinity, damage: DELETED }
      const from = Number(first.revision)
      const event = decodeEvent(first, stream)
      if (from === 0 || (event && mayBegin(event))) return { from, damage: null }
      return { from, damage: `its revisions below ${from} are hidden, and no erasure tells why` }
    } catch (error) {
      if (isTombstoned(error)) return { from: Infinity, damage: TOMBSTONED }
      throw error
    }
  }

  /** Hides what is below; never shows again what was hidden. */
  async hide(stream: StreamName, before: Revision): Promise<void> {
    const metadataStream = metastreamOf(this.#ports.streams.onServer(stream))
    for (let isDone = false; !isDone;) {
      const { revision, metadata } = await this.#read(stream)
      if (before <= (metadata.$tb ?? 0)) return
      const change = jsonEvent({ id: randomUUID(), type: '$metadata', data: { ...metadata, $tb: before } })
      // Where another process was first, it may have changed it to the same.
      isDone = await appendAt(this.#ports, metadataStream, revision, change)
    }
  }

  async #read(stream: StreamName): Promise<{ revision: bigint | null; metadata: StreamMetadata }> {
    const { availability, pages, streams } = this.#ports
    const last = await availability.attempt(() => pages.lastOf(metastreamOf(streams.onServer(stream))))
    return { revision: last?.revision ?? null, metadata: (last?.data ?? {}) as StreamMetadata }
  }
}
