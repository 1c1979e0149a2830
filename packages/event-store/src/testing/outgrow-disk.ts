import { EngineUnavailable } from '@medialog/application/ports'
import { openSqliteEventStore } from '../sqlite/store.ts'
import { newEvent, newEvents } from './events.ts'

/** Run where no file may grow beyond 2 MiB: small appends, one that does not fit among small ones, small ones again. */
const store = await openSqliteEventStore({ path: process.argv[2]! })
await store.append('media-a', 'no-stream', newEvents(2))
const outcomes = await Promise.allSettled([
  store.append('media-b', 'no-stream', newEvents(2)),
  store.append('media-c', 'no-stream', [newEvent(), newEvent({ text: 'x'.repeat(4_000_000) })]),
  store.append('media-d', 'no-stream', newEvents(2)),
])
const said = (outcome: PromiseSettledResult<unknown>) => {
  if (outcome.status === 'fulfilled') return 'recorded'
  return outcome.reason instanceof EngineUnavailable ? 'unavailable' : String(outcome.reason)
}
console.log(outcomes.map(said).join(' '))
await store.append('media-a', 1, newEvents(1))
await store.close()
console.log('closed')
