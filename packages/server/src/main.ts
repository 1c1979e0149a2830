import { flushCompileCache } from 'node:module'
import { HELP, readArguments, type Arguments } from './arguments.ts'
import { readConfig } from './config.ts'
import { isForPeople } from './expected-errors.ts'
import { startService } from './service.ts'

/** `npm start`, `medialog serve`: the service or some of its roles in one process, until SIGTERM or SIGINT. */
async function main(): Promise<void> {
  // Whatever is written to the data folder is its owner's alone.
  process.umask(0o077)
  const given = readArguments(process.argv.slice(2))
  if (given.help) console.log(HELP)
  else await (given.check ? check(given) : serve(given))
}

async function check({ roles, json }: Arguments): Promise<void> {
  const [{ checkAll }, { checked, isFine, reportOf }] = await Promise.all([
    import('./checks/all.ts'),
    import('./checks/report.ts'),
  ])
  const checks = await checked(() => readConfig(process.env, roles), checkAll)
  console.log(reportOf(checks, json))
  process.exit(isFine(checks) ? 0 : 1)
}

async function serve({ roles }: Arguments): Promise<void> {
  const service = await startService(readConfig(process.env, roles))
  console.log(service.greeting)
  // Else what Node compiled is kept at an orderly end alone, and after a kill the next start does it all over again.
  flushCompileCache()
  let stopping = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      // A second signal means: at once.
      if (stopping) process.exit(130)
      stopping = true
      service.close().then(
        () => process.exit(0),
        (error: unknown) => fail(error),
      )
    })
}

function fail(error: unknown): never {
  console.error(isForPeople(error) ? `medialog: ${(error as Error).message}` : error)
  process.exit(1)
}

main().catch(fail)
