import { Worker } from 'node:worker_threads'
import { EngineUnavailable, type LogReport, type LogVerifier } from '@medialog/application/ports'
import type { LogPosition } from '@medialog/kernel'
import { messageOf } from './sqlite-error.ts'

export type FromVerifier =
  | { kind: 'progress'; position: LogPosition; head: LogPosition }
  | { kind: 'report'; report: LogReport }

/** What the thread may hold, in MB: reading goes page by page, however long the log is. */
export const MEMORY = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 128 }

/** Proves the log in a thread of its own, until `signal` aborts. @throws EngineUnavailable */
export async function verifyInThread(
  path: string,
  onProgress: Parameters<LogVerifier['verify']>[0],
  signal: AbortSignal,
): Promise<LogReport> {
  const url = new URL('./verifier.ts', import.meta.url)
  const thread = new Worker(url, {
    workerData: { path },
    name: 'log-verifier',
    execArgv: [],
    resourceLimits: MEMORY,
  })
  const end = () => void thread.terminate()
  signal.addEventListener('abort', end, { once: true })
  try {
    return await new Promise<LogReport>((resolve, reject) => {
      const failed = (why: string) => reject(new EngineUnavailable('event log', why))
      thread.on('message', (said: FromVerifier) => {
        if (said.kind === 'progress') onProgress(said)
        else resolve(said.report)
      })
      thread.on('error', (error) => failed(`the log could not be read: ${messageOf(error)}`))
      thread.on('exit', () => failed('the proof was broken off'))
      if (signal.aborted) end()
    })
  } finally {
    signal.removeEventListener('abort', end)
  }
}
