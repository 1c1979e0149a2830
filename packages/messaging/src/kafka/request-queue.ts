import { createRequire } from 'node:module'

/** What is asked here of the client's own queue of requests on a connection. */
interface RequestQueue {
  pending: readonly unknown[]
  /** Milliseconds since the epoch; -1 where the broker never asked for less. */
  throttledUntil: number
  throttleCheckTimeoutId: NodeJS.Timeout | null
  checkPendingRequests(): void
}

const LOOKED_AT_AFTER_MS = 10

/**
 * kafkajs 2.2.4 looks for pending requests in every millisecond of a connection that has none, by a timer of a negative time:
 * a connection that idles costs one and a half percent of a core, and Node warns. From here on it looks while there are some.
 */
export function quietRequestQueues(): void {
  const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as {
    prototype: { scheduleCheckPendingRequests(this: RequestQueue): void }
  }
  prototype.scheduleCheckPendingRequests = function () {
    if (this.pending.length === 0 || this.throttleCheckTimeoutId !== null) return
    const look = (): void => {
      this.throttleCheckTimeoutId = null
      this.checkPendingRequests()
    }
    this.throttleCheckTimeoutId = setTimeout(
      look,
      Math.max(this.throttledUntil - Date.now(), LOOKED_AT_AFTER_MS),
    )
  }
}
