import { randomUUID } from 'node:crypto'
import {
  BACKWARDS,
  END,
  jsonEvent,
  metastreamOf,
  NO_STREAM,
  StreamNotFoundError,
} from '@eventstore/db-client'
import type { EngineTls } from '@medialog/application/ports'
import { connect } from '../../eventstoredb/connection.ts'

/** Another client of the server, with access to the log's streams. Streams are named as on the server. */
export interface Intruder extends AsyncDisposable {
  /** Appends an event that the service did not write. */
  plant(stream: string, type?: string): Promise<void>
  /** Hides what is below the revision (`$tb`); 0: shows it again. */
  hideBefore(stream: string, revision: number): Promise<void>
  softDelete(stream: string): Promise<void>
  tombstone(stream: string): Promise<void>
}

/** With the address, and so the rights, of the service. */
export function intrude(url: string, tls: EngineTls | null = null): Intruder {
  const connection = connect(url, tls)
  const { call, client } = connection

  async function append(stream: string, type: string, data: object): Promise<void> {
    const expectedRevision = (await lastRevision(stream)) ?? NO_STREAM
    const event = jsonEvent({ id: randomUUID(), type, data: data as Record<string, unknown> })
    await client.appendToStream(stream, event, { ...call, expectedRevision })
  }

  async function lastRevision(stream: string): Promise<bigint | null> {
    const end = { direction: BACKWARDS, fromRevision: END, maxCount: 1 } as const
    let last: bigint | null = null
    try {
      // A loop that is left early leaves the call open.
      for await (const { event } of client.readStream(stream, { ...call, ...end })) last = event!.revision
    } catch (error) {
      if (!(error instanceof StreamNotFoundError)) throw error
    }
    return last
  }

  return {
    plant: (stream, type = 'SomethingElse') => append(stream, type, { by: 'somebody else' }),
    hideBefore: (stream, revision) =>
      append(metastreamOf(stream), '$metadata', revision > 0 ? { $tb: revision } : {}),
    async softDelete(stream) {
      await client.deleteStream(stream, call)
    },
    async tombstone(stream) {
      await client.tombstoneStream(stream, call)
    },
    [Symbol.asyncDispose]: () => connection.close(),
  }
}
