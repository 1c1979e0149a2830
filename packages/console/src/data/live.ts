import type { Client, CloudEvent, JsonOperationId, MedialogError } from '@medialog/client'
import type { QueryClient } from '@tanstack/react-query'
import { connection } from '../session/connection.ts'
import { Store } from './store.ts'

/** Events since the page was opened. */
export interface Feed {
  /** The newest first. */
  events: readonly CloudEvent[]
  /** Why the feed ended. */
  error: MedialogError | null
}

/** More are of no use to eyes. */
const MOST_EVENTS = 1000
/** Thousands of files that are done in a minute make one read a second. */
const PAUSE_MS = 1000

/** Reads that an event may have changed. */
const CHANGED: readonly [types: RegExp, reads: readonly JsonOperationId[]][] = [
  [
    /^(Media|ItemsMoved|CollectionDeleted)/,
    ['listMedia', 'listCollections', 'readCollection', 'readMedia', 'readMediaHistory'],
  ],
  [/^Balance/, ['readUsage', 'readLedger', 'readMediaHistory']],
  [/^(Batch|Job)/, ['listBatches', 'readBatch', 'readBatchResults']],
]

export const nameOf = ({ type }: CloudEvent): string => type.replace('medialog.', '')

/** Follows the account's events, and has views read again what they changed. It ends with the signal. */
export function follow(client: Client, cache: QueryClient, signal: AbortSignal): Store<Feed> {
  const feed = new Store<Feed>({ events: [], error: null })
  const changed = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const readAgain = (): void => {
    timer = undefined
    void cache.invalidateQueries({ predicate: ({ queryKey }) => changed.has(String(queryKey[0])) })
    changed.clear()
  }
  async function listen(): Promise<void> {
    for await (const { event } of client.events({}, { signal, attempts: Infinity })) {
      connection.set('there')
      feed.set({ ...feed.get(), events: [event, ...feed.get().events].slice(0, MOST_EVENTS) })
      for (const [types, reads] of CHANGED)
        if (types.test(nameOf(event))) for (const read of reads) changed.add(read)
      timer ??= setTimeout(readAgain, PAUSE_MS)
    }
  }
  listen().catch((error: MedialogError) => {
    if (!signal.aborted) feed.set({ ...feed.get(), error })
  })
  signal.addEventListener('abort', () => clearTimeout(timer))
  return feed
}
