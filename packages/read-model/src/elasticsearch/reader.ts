import type { Client } from '@elastic/elasticsearch'
import type { StoreName } from '@medialog/application/ports'
import type { LogPosition } from '@medialog/kernel'
import { readCheckpoint } from './checkpoint.ts'
import { statusOf, isMissingIndex } from './connection.ts'
import type { Place } from './documents-of-batch.ts'
import { aliasOf } from './indices.ts'

/** On the path of every request. */
const SOON = { requestTimeout: 3_000 }

export interface ReaderOptions {
  client: Client
  /** See openIndexStore. */
  prefix: string
}

/** What every reader of a read model's documents stands on. Errors are the client's. */
export function readerOf({ client, prefix }: ReaderOptions, name: StoreName) {
  const index = aliasOf(prefix, name)
  return {
    client,
    index,

    /** The document as it was written last, refreshed or not; null where there is none. */
    get: async <Document>({ id, routing }: Place): Promise<Document | null> => {
      try {
        const { _source } = await client.get<Document>({ index, id, routing }, SOON)
        return _source!
      } catch (error) {
        if (statusOf(error) === 404 && !isMissingIndex(error)) return null
        throw error
      }
    },

    position: async (): Promise<LogPosition> => (await readCheckpoint(client, index)).position,
  }
}
