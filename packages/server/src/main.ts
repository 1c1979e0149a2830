import { flushCompileCache } from 'node:module'
import { EngineUnavailable } from '@medialog/application'
import { UnusableBucket } from '@medialog/artifacts'
import { DataFolderInUse, LogDamaged } from '@medialog/event-store'
import { LanguageNotInstalled } from '@medialog/understanding'
import { HELP, readArguments, type Arguments } from './arguments.ts'
import { InvalidConfiguration, readConfig } from './config.ts'
import { UnusableDataFolder } from './embedded/data-folder.ts'
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
    import('./check.ts'),
    import('./check-report.ts'),
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

/** What a person can mend is said in one line; anything else with its stack. */
const EXPECTED = [
  InvalidConfiguration,
  DataFolderInUse,
  LanguageNotInstalled,
  LogDamaged,
  UnusableBucket,
  UnusableDataFolder,
  EngineUnavailable,
]

function fail(error: unknown): never {
  const expected = EXPECTED.some((kind) => error instanceof kind)
  console.error(expected ? `medialog: ${(error as Error).message}` : error)
  process.exit(1)
}

main().catch(fail)
