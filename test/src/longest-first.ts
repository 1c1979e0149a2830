import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that take half a minute and more, with those that mostly compute beside those that mostly wait, and not all those at
 * once that start many processes: what starts last must not run on alone. The others follow in Vitest's own order, by size,
 * which says little of their time.
 */
const LONG = [
  'test/src/crashes/every-point.test.ts',
  'test/src/e2e/distributed.full.test.ts',
  'test/src/faults/temporal.full.test.ts',
  'test/src/faults/killed-engines.full.test.ts',
  'test/src/faults/killed-processes.full.test.ts',
  'test/src/faults/killed-worker.full.test.ts',
  'test/src/benchmarks.full.test.ts',
  'test/src/console/library.full.test.ts',
  'test/src/console/live.full.test.ts',
  'test/src/client/generated.full.test.ts',
  'test/src/console/everyone.full.test.ts',
  'test/src/infra/alerts.full.test.ts',
  'packages/read-model/src/elasticsearch/catalog/store.full.test.ts',
  'test/src/formats/formats.full.test.ts',
  'packages/event-store/src/eventstoredb/faults.test.ts',
  'test/src/e2e/shared-state.full.test.ts',
  'test/src/crashes/on-temporal.full.test.ts',
  'test/src/contract/specification.test.ts',
  'packages/messaging/src/kafka/faults.full.test.ts',
  'test/src/faults/elasticsearch.full.test.ts',
  'test/src/e2e/start.test.ts',
  'workflows/src/temporal/faults.full.test.ts',
  'test/src/e2e/operating.test.ts',
  'test/src/faults/damage.full.test.ts',
  'test/src/e2e/embeddings.test.ts',
  'packages/event-store/src/eventstoredb/eventstoredb.test.ts',
  'test/src/e2e/kafka-tls.full.test.ts',
  'test/src/e2e/restored-eventstoredb.full.test.ts',
  'test/src/e2e/backup.full.test.ts',
  'packages/read-model/src/sqlite/search/search.test.ts',
  'packages/understanding/src/extract/recognition.full.test.ts',
  'test/src/e2e/audit.test.ts',
  'workflows/src/temporal/orchestrator.full.test.ts',
  'packages/understanding/src/pool/pool.test.ts',
  'test/src/faults/full-disk.full.test.ts',
  'test/src/faults/held-answers.full.test.ts',
  'packages/understanding/src/extract/fixtures.test.ts',
  'packages/read-model/src/elasticsearch/search/search.full.test.ts',
  'test/src/speech/people.full.test.ts',
  'test/src/e2e/publishing.test.ts',
  'test/src/demo/demo.full.test.ts',
]
const ROOT = new URL('../..', import.meta.url).pathname

/** Starts long files first. @throws where one of them is not there any more */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const gone = LONG.filter((path) => !existsSync(ROOT + path))
    if (gone.length > 0) throw new Error(`test/src/longest-first.ts names ${gone.join(', ')}.`)
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const at = LONG.indexOf(relative(ROOT, moduleId))
      return at === -1 ? LONG.length : at
    }
    return (await super.sort(files)).toSorted((one, other) => rankOf(one) - rankOf(other))
  }
}
