import { randomUUID } from 'node:crypto'
import { jsonEvent, metastreamOf, NO_STREAM, WrongExpectedVersionError } from '@eventstore/db-client'
import type { Revision, StreamName } from '@medialog/kernel'
import type { Availability } from './availability.ts'
import type { Connection } from './connection.ts'
import type { Limits } from './limits.ts'
import type { Pages } from './pages.ts'
import type { Streams } from './streams.ts'

interface StreamMetadata {
  /** The first revision that reads of the stream show. */
  $tb?: number
  [name: string]: unknown
}

export interface TruncationPorts {
  availability: Availability
  connection: Connection
  limits: Limits
  pages: Pages
  streams: Streams
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

  /** 0 where nothing is hidden. */
  async before(stream: StreamName): Promise<Revision> {
    return (await this.#read(stream)).metadata.$tb ?? 0
  }

  /** Hides what is below; never shows again what was hidden. */
  async hide(stream: StreamName, before: Revision): Promise<void> {
    const { availability, connection, limits, streams } = this.#ports
    for (;;) {
      const { revision, metadata } = await this.#read(stream)
      if (before <= (metadata.$tb ?? 0)) return
      // Made once, so that trying again is no second change.
      const change = jsonEvent({ id: randomUUID(), type: '$metadata', data: { ...metadata, $tb: before } })
      try {
        await availability.attempt(() =>
          connection.client.appendToStream(metastreamOf(streams.onServer(stream)), change, {
            ...connection.call,
            deadline: limits.callMs,
            expectedRevision: revision ?? NO_STREAM,
          }),
        )
        return
      } catch (error) {
        // Somebody else changed it: perhaps to the same.
        if (!(error instanceof WrongExpectedVersionError)) throw error
      }
    }
  }

  async #read(stream: StreamName): Promise<{ revision: bigint | null; metadata: StreamMetadata }> {
    const { availability, pages, streams } = this.#ports
    const last = await availability.attempt(() => pages.lastOf(metastreamOf(streams.onServer(stream))))
    return { revision: last?.revision ?? null, metadata: (last?.data ?? {}) as StreamMetadata }
  }
}
