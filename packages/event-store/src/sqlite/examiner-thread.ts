/* oxlint-disable unicorn/require-post-message-target-origin -- between threads, not windows */
import { on } from 'node:events'
import { Worker } from 'node:worker_threads'
import { EngineUnavailable, type ExaminedEvent } from '@medialog/application/ports'
import { messageOf } from './sqlite-error.ts'
import { MEMORY } from './verifier-thread.ts'

export interface FromExaminer {
  page: ExaminedEvent[]
  end: boolean
}

/** Pages that wait to be read: two threads work at the same time, and memory stays flat. */
export const PAGES_AHEAD = 8

/** Examines the log in a thread of its own, until `signal` aborts or the reader stops. @throws EngineUnavailable */
export async function* examineInThread(path: string, signal: AbortSignal): AsyncGenerator<ExaminedEvent[]> {
  const url = new URL('./examiner.ts', import.meta.url)
  const thread = new Worker(url, {
    workerData: { path },
    name: 'log-examiner',
    execArgv: [],
    resourceLimits: MEMORY,
  })
  const ended = new AbortController()
  const stop = AbortSignal.any([signal, ended.signal])
  // It says that it is at the end before it ends: what ends without that was broken off.
  thread.once('exit', () => ended.abort())
  // It may be heard below only after the end that it causes; one that comes later has no receiver.
  let fault: unknown = null
  thread.on('error', (error) => (fault = error))
  try {
    for await (const [{ page, end }] of on(thread, 'message', { signal: stop }) as AsyncIterable<
      [FromExaminer]
    >) {
      if (end) return
      yield page
      thread.postMessage(null)
    }
  } catch (error) {
    const wasBrokenOff = stop.aborted && fault === null
    const why = wasBrokenOff
      ? 'the proof was broken off'
      : `the log could not be read: ${messageOf(fault ?? error)}`
    throw new EngineUnavailable('event log', why)
  } finally {
    await thread.terminate()
  }
}
