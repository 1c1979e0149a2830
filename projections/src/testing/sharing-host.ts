import { setTimeout as sleep } from 'node:timers/promises'
import { openSqliteLogReader, type LogReader } from '@medialog/event-store'
import type { RecordedEvent } from '@medialog/kernel'
import { connectElasticsearch } from '@medialog/read-model/elasticsearch/connection'
import { openElasticsearchCoordination } from '@medialog/read-model/elasticsearch/coordination'
import type { Log } from '../ports.ts'
import { shareProjections } from '../shared/share.ts'
import { createMemoryArtifacts } from './memory-artifacts.ts'
import { projectedInIndices } from './projected-in-indices.ts'

/** The log of another process, which rings no bell here. */
function looking(reader: LogReader): Log {
  return {
    head: () => reader.head(),
    read: (...of) => reader.read(...of),
    readAll: (...of) => reader.readAll(...of),
    async *subscribe(after, { signal }) {
      for (let position = after; !signal.aborted; await sleep(20)) {
        const events: RecordedEvent[] = []
        for await (const event of reader.readAll(position, { limit: 64 })) events.push(event)
        position = events.at(-1)?.position ?? position
        yield { events, position, live: events.length === 0 }
      }
    },
  }
}

/** Shares the projections of a log into indices, except the catalog's, until it is killed or stopped. */
const [path, url, prefix, holder] = process.argv.slice(2) as [string, string, string, string]
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }
const host = await shareProjections(
  projectedInIndices({ client: connectElasticsearch({ url }), prefix }),
  { log: looking(openSqliteLogReader({ path })), artifacts: createMemoryArtifacts(), logger: quiet },
  {
    coordination: openElasticsearchCoordination({ client: connectElasticsearch({ url }, 3_000), prefix }),
    holder,
  },
)
process.on('SIGTERM', () => void host.close().then(() => process.exit(0)))
process.stdout.write('started\n')
