import { join } from 'node:path'
import { openSqliteLogReader } from '@medialog/event-store'
import { BEGINNING, type RecordedEvent } from '@medialog/kernel'

/** All events of the embedded log in a data folder, whose server may be running. */
export async function eventsIn(dataFolder: string): Promise<RecordedEvent[]> {
  const log = openSqliteLogReader({ path: join(dataFolder, 'log', 'events.sqlite') })
  try {
    const events: RecordedEvent[] = []
    for await (const event of log.readAll(BEGINNING)) events.push(event)
    return events
  } finally {
    await log.close()
  }
}
