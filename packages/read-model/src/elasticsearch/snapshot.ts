import type { Client } from '@elastic/elasticsearch'
import { everything, type Wanted } from './pages.ts'

/** Between two pages. */
const KEEP_ALIVE = '10m'

export interface ReadOptions extends Pick<Wanted, 'sort' | '_source'> {
  /** Documents at a time. */
  pageSize: number
}

/** A build as it was when it was opened. */
export interface OpenedSnapshot {
  /** Its documents of these kinds. */
  documents<Document>(kinds: readonly string[], options: ReadOptions): AsyncIterable<Document>
  close(): Promise<void>
}

export async function openSnapshot(client: Client, index: string): Promise<OpenedSnapshot> {
  const { id } = await client.openPointInTime({ index, keep_alive: KEEP_ALIVE })
  return {
    documents<Document>(kinds: readonly string[], { pageSize, ...how }: ReadOptions) {
      const query = { terms: { kind: [...kinds] } }
      return everything<Document>(
        client,
        { pit: { id, keep_alive: KEEP_ALIVE }, query, ...how },
        { pageSize },
      )
    },
    async close() {
      await client.closePointInTime({ id })
    },
  }
}
