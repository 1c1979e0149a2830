import { createBackground, newId } from '@medialog/application'
import { openSqliteEventStore } from '@medialog/event-store'
import { createKafkaPublisher } from '../kafka/publisher.ts'
import type { KafkaSettings } from '../kafka/settings.ts'
import { startPublishing } from '../publishing.ts'
import { append, newEvent, settled } from './log.ts'

/**
 * Publishes a log and, but for `drain`, appends to it from several writers until it is killed; `drain` ends once all is
 * published. Says `publishing` when the first transaction was committed.
 */
const [path, settings, mode] = process.argv.slice(2) as [string, string, 'write' | 'drain']
const store = await openSqliteEventStore({ path })
const publishing = startPublishing({
  log: store,
  publisher: createKafkaPublisher(JSON.parse(settings) as KafkaSettings, { debug: () => undefined }),
  background: createBackground((error) => console.error((error as Error).message)),
  source: '/medialog/test',
  onStopped: (error) => console.error(error.message),
})

async function write(): Promise<never> {
  const streams = Array.from({ length: 8 }, () => `ledger-${newId()}` as const)
  for (;;)
    await Promise.all(
      streams.map((stream) => append(store, stream, ...[1, 2, 3].map(() => newEvent(settled(newId()))))),
    )
}
if (mode === 'write') void write()

for (let said = false; ;) {
  const { transactions, behind } = await publishing.status()
  if (!said && transactions > 0) console.log('publishing')
  said ||= transactions > 0
  if (mode === 'drain' && behind === 0) break
  await new Promise((resolve) => setTimeout(resolve, 20))
}
await publishing.close()
await store.close()
console.log('drained')
