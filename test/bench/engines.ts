import { ENGINES, engineAddress, type EngineId } from '../src/engines.ts'
import type { BenchRows } from './row.ts'

interface Part {
  /** What is measured, for people. */
  what: string
  engine: EngineId
  measure: (address: string) => Promise<BenchRows>
}

const PARTS: readonly Part[] = [
  {
    what: 'indexing and search on Elasticsearch',
    engine: 'elasticsearch',
    measure: async (address) => (await import('./engines/elasticsearch.ts')).benchElasticsearch(address),
  },
  {
    what: 'batches on Temporal',
    engine: 'temporal',
    measure: async (address) => (await import('./engines/batches.ts')).benchBatches(address),
  },
  {
    what: 'publishing to Kafka',
    engine: 'kafka',
    measure: async (address) => (await import('./engines/publish.ts')).benchPublish(address),
  },
]

/**
 * What each engine costs beside the bare client or the embedded one, in turns of one run. Servers are those that the
 * environment names; where it names none, that is said. The log's server is played by its double then.
 */
export async function* benchEngines(): BenchRows {
  const { benchServerLog } = await import('./engines/server-log.ts')
  const { benchProjectionLag } = await import('./engines/projection-lag.ts')
  yield* benchServerLog(engineAddress('eventstoredb'))
  for (const { what, engine, measure } of PARTS) {
    const address = engineAddress(engine)
    if (address !== null) yield* await measure(address)
    else console.log(`  not measured: ${what} (${ENGINES[engine].variable} is not set)`)
  }
  yield* benchProjectionLag(engineAddress('elasticsearch'))
}
