import { EngineUnavailable } from '@medialog/application'
import { UnusableBucket } from '@medialog/artifacts'
import { DataFolderInUse, LogDamaged } from '@medialog/event-store'
import { LanguageNotInstalled } from '@medialog/understanding'
import { InvalidConfiguration, readConfig } from './config.ts'
import { UnusableDataFolder } from './embedded/data-folder.ts'
import { startService } from './service.ts'

/** `npm start`: the whole service in one process, until SIGTERM or SIGINT. */
async function main(): Promise<void> {
  // Whatever is written to the data folder is its owner's alone.
  process.umask(0o077)
  const config = readConfig(process.env)
  const service = await startService(config)
  console.log(service.greeting)
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
