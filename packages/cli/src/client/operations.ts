import { setTimeout as sleep } from 'node:timers/promises'
import type { Operation } from './answers.ts'
import type { Client } from './client.ts'
import { Interrupted } from './errors.ts'
import { serverEvents } from './event-stream.ts'

const POLL_MS = 500

/**
 * Watches an operation until it has ended: by server-sent events, and by asking again and again where those are not to
 * be had or break off. @throws Interrupted, and as `Client.call`
 */
export async function followOperation(
  client: Client,
  id: string,
  signal: AbortSignal,
  onChange: (operation: Operation) => void,
): Promise<Operation> {
  const path = `/admin/operations/${encodeURIComponent(id)}`
  const last = await streamed(client, path, signal, onChange)
  if (last && last.status !== 'running') return last
  for (;;) {
    const { data } = await client.call<Operation>('GET', path, { as: 'operator', signal })
    onChange(data)
    if (data.status !== 'running') return data
    await sleep(POLL_MS, undefined, { signal }).catch(() => {
      throw new Interrupted()
    })
  }
}

/** The last state that the stream told; null where there was none. */
async function streamed(
  client: Client,
  path: string,
  signal: AbortSignal,
  onChange: (operation: Operation) => void,
): Promise<Operation | null> {
  const response = await client.open('GET', path, {
    as: 'operator',
    signal,
    headers: { accept: 'text/event-stream' },
  })
  let last: Operation | null = null
  try {
    if (!response.headers['content-type']?.startsWith('text/event-stream')) return null
    for await (const { data } of serverEvents(response)) {
      last = JSON.parse(data) as Operation
      onChange(last)
      if (last.status !== 'running') break
    }
  } catch {
    if (signal.aborted) throw new Interrupted()
    // The stream broke: the caller asks from here on.
  } finally {
    response.destroy()
  }
  return last
}
