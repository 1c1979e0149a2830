import type { Client } from '@elastic/elasticsearch'

/**
 * Makes visible what was written to the index before the call. One refresh runs at a time; all who call while it runs
 * share the next.
 */
export function refreshingOf(client: Client, index: string): () => Promise<void> {
  let running: Promise<void> | null = null
  let next: Promise<void> | null = null

  function refresh(): Promise<void> {
    next = null
    running = client.indices.refresh({ index }).then(() => undefined)
    const ended = (): void => void (running = null)
    running.then(ended, ended)
    return running
  }

  return () => {
    if (!running) return refresh()
    return (next ??= running.then(refresh, refresh))
  }
}
