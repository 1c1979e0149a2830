import { openSqliteLogReader } from '@medialog/event-store'
import { startProjections } from '../host.ts'
import { createMemoryArtifacts } from './memory-artifacts.ts'
import { projectedIn } from './service.ts'

/** Projects a log into a folder until it is killed; says each position of `records` on standard output. */
const [path, folder] = process.argv.slice(2) as [string, string]
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }
const host = await startProjections(
  projectedIn(folder).filter(({ projection }) => projection.name !== 'catalog'),
  { log: openSqliteLogReader({ path }), artifacts: createMemoryArtifacts(), logger: quiet },
)
host.onReached((store, position) => {
  if (store === 'records') process.stdout.write(`${position}\n`)
})
