import { LogSummary } from '@medialog/application'
import { openSqliteLogReader, type LogReader } from '@medialog/event-store'
import { BEGINNING } from '@medialog/kernel'
import type { OnProgress } from './progress.ts'

/** Proves a log that nobody writes to, event by event, and answers what it comes to. @throws LogDamaged */
export async function summaryOf(log: LogReader, onProgress: OnProgress): Promise<LogSummary> {
  const summary = new LogSummary()
  const head = await log.head()
  for await (const event of log.readAll(BEGINNING, { proven: true })) {
    summary.apply(event)
    if (event.position % 1_000 === 0)
      onProgress({ ratio: event.position / head, message: `proving: event ${event.position} of ${head}` })
  }
  return summary
}

/** Reads the log in a file, and lets go of it. */
export async function withLog<T>(path: string, read: (log: LogReader) => Promise<T>): Promise<T> {
  const log = openSqliteLogReader({ path })
  try {
    return await read(log)
  } finally {
    await log.close()
  }
}
