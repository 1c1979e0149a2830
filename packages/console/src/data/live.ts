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
/** Between two changes of what is shown. */
const SHOW_MS = 100
/** From an event to the reads that it changed: others follow soon. */
const SOON_MS = 300
/** Between two rounds of reads, however much happens: the account's rate limit is for its programs as well. */
const PAUSE_MS = 3000

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

/** What shows events in a feed, soon after they come: of a long history there are thousands a second. It ends with the signal. */
export function gatherInto(
  feed: Store<Feed>,
  most: number,
  signal: AbortSignal,
): (event: CloudEvent) => void {
  let come: CloudEvent[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const show = (): void => {
    timer = undefined
    feed.set({ ...feed.get(), events: [...come.reverse(), ...feed.get().events].slice(0, most) })
    come = []
  }
  signal.addEventListener('abort', () => clearTimeout(timer))
  return (event) => {
    come.push(event)
    timer ??= setTimeout(show, SHOW_MS)
  }
}

/** Longer than that no view waits. */
const LOOK_MS = 2000

/**
 * Where the log stands. Views that read afterwards and events that are followed from there leave no gap between them.
 * Undefined where the service does not answer soon.
 */
export async function positionOf(client: Client, signal: AbortSignal): Promise<string | undefined> {
  try {
    const reply = await client.open('listCollections', {}, { signal, attempts: 1, timeoutMs: LOOK_MS })
    reply.cancel()
    return reply.headers.get('x-position') ?? undefined
  } catch {
    // The first view meets the same error and shows it.
    return undefined
  }
}

/**
 * Follows the account's events from a position on (from now on without one), and has views read again what they changed. It
 * ends with the signal.
 * @param failed called with the error that it ends by
 */
export function follow(
  client: Client,
  cache: QueryClient,
  after: string | undefined,
  failed: (error: MedialogError) => void,
  signal: AbortSignal,
): Store<Feed> {
  const feed = new Store<Feed>({ events: [], error: null })
  const show = gatherInto(feed, MOST_EVENTS, signal)
  const changed = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let lastRead = 0
  const readAgain = (): void => {
    timer = undefined
    lastRead = Date.now()
    void cache.invalidateQueries({ predicate: ({ queryKey }) => changed.has(String(queryKey[0])) })
    changed.clear()
  }
  async function listen(): Promise<void> {
    for await (const { event } of client.events(after === undefined ? {} : { after }, {
      signal,
      attempts: Infinity,
    })) {
      connection.set('there')
      show(event)
      for (const [types, reads] of CHANGED)
        if (types.test(nameOf(event))) for (const read of reads) changed.add(read)
      timer ??= setTimeout(readAgain, Math.max(SOON_MS, lastRead + PAUSE_MS - Date.now()))
    }
  }
  listen().catch((error: MedialogError) => {
    if (signal.aborted) return
    feed.set({ ...feed.get(), error })
    failed(error)
  })
  signal.addEventListener('abort', () => clearTimeout(timer))
  return feed
}
