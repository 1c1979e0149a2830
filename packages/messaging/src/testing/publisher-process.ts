import { setTimeout as pause } from 'node:timers/promises'
import { createBackground, newId } from '@medialog/application'
import type { EventPublisher } from '@medialog/application/ports'
import { openSqliteEventStore } from '@medialog/event-store'
import { createKafkaPublisher } from '../kafka/publisher.ts'
import type { KafkaSettings } from '../kafka/settings.ts'
import { startPublishing } from '../publishing.ts'
import { append, newEvent, settled } from './log.ts'

/**
 * Publishes a log. Without a third argument it ends once all is published. With one, as with 17, it appends from several
 * writers besides, and kills itself that many milliseconds after the fifth transaction began.
 */
const [path, settings, killAfterMs] = process.argv.slice(2) as [string, string, string | undefined]
const FATAL_TRANSACTION = 5

function doomed(publisher: EventPublisher, afterMs: number): EventPublisher {
  let transactions = 0
  return {
    ask: () => publisher.ask(),
    close: () => publisher.close(),
    async open() {
      const session = await publisher.open()
      return {
        checkpoint: session.checkpoint,
        publish(...of) {
          if (++transactions === FATAL_TRANSACTION)
            setTimeout(() => process.kill(process.pid, 'SIGKILL'), afterMs)
          return session.publish(...of)
        },
      }
    },
  }
}

async function write(): Promise<never> {
  const streams = Array.from({ length: 8 }, () => `ledger-${newId()}` as const)
  for (;;) {
    await Promise.all(streams.map((stream) => append(store, stream, newEvent(settled(newId())))))
    await pause(2)
  }
}

const store = await openSqliteEventStore({ path })
const kafka = createKafkaPublisher(JSON.parse(settings) as KafkaSettings, { debug: () => undefined })
const publishing = startPublishing({
  log: store,
  publisher: killAfterMs === undefined ? kafka : doomed(kafka, Number(killAfterMs)),
  background: createBackground((error) => console.error((error as Error).message)),
  source: '/medialog/test',
  onStopped: (error) => console.error(error.message),
})
if (killAfterMs !== undefined) await write()
while ((await publishing.status()).behind !== 0) await pause(20)
await publishing.close()
await store.close()
