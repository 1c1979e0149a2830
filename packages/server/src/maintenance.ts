import { EngineUnavailable } from '@medialog/application'
import { DataFolderInUse, LogDamaged } from '@medialog/event-store'
import { formatUsd } from '@medialog/kernel'
import { applyErasures } from './backup/apply-erasures.ts'
import { exportErasures, NOTHING_ERASED, readErasures } from './backup/erasure-list.ts'
import { MaintenanceRefused } from './backup/errors.ts'
import { makeBackup } from './backup/make-backup.ts'
import type { OnProgress } from './backup/progress.ts'
import { restore } from './backup/restore.ts'
import { openFormerKey } from './checkpoint-key.ts'
import { InvalidConfiguration, readConfig } from './config.ts'
import { UnusableDataFolder } from './embedded/data-folder.ts'

/**
 * What is done to data folders and logs beside a service, in a process of its own that the command line starts: `backup
 * FOLDER`, `restore FOLDER DATA [ERASURES]`, `export-erasures FILE`, `apply-erasures FILE`. Says how far it is and what came of it, a line of JSON each:
 * `{ progress }`, `{ result }` or `{ refused }`.
 */
type Result = Record<string, unknown>

const say = (line: { progress: unknown } | { result: Result } | { refused: string }): void =>
  void process.stdout.write(`${JSON.stringify(line)}\n`)

const SAY_EVERY_MS = 100

function progressSaid(): OnProgress {
  let said = 0
  return (progress) => {
    if (performance.now() - said < SAY_EVERY_MS) return
    said = performance.now()
    say({ progress })
  }
}

const COMMANDS: ReadonlyMap<string, (words: readonly string[]) => Promise<Result>> = new Map(
  Object.entries<(words: readonly string[]) => Promise<Result>>({
    async backup([folder]) {
      const { manifest, copied, removed, seconds } = await makeBackup(
        readConfig(process.env),
        folder!,
        progressSaid(),
      )
      const { made_at, position, events, accounts, items, balance, artifacts, checkpoint, key } = manifest
      return {
        made_at,
        position,
        events,
        accounts,
        items,
        balance_usd: formatUsd(BigInt(balance)),
        artifacts: { ...artifacts, copied, removed },
        checkpoint,
        key,
        seconds,
      }
    },

    async restore([source, dataFolder, erasuresFile]) {
      const erasures = erasuresFile === undefined ? NOTHING_ERASED : readErasures(erasuresFile)
      const former = openFormerKey(readConfig(process.env))
      const { manifest, balance, ...report } = await restore(
        source!,
        dataFolder!,
        erasures,
        progressSaid(),
        former,
      )
      const { made_at, release, position, key } = manifest
      return {
        made_at,
        release,
        position,
        ...report,
        balance_usd: formatUsd(balance),
        key,
      }
    },

    async 'export-erasures'([file]) {
      return { ...(await exportErasures(readConfig(process.env), file!, progressSaid())) }
    },

    async 'apply-erasures'([file]) {
      return { ...(await applyErasures(readConfig(process.env), readErasures(file!), progressSaid())) }
    },
  }),
)

/** What a person can mend is said in one line; anything else with its stack. */
const EXPECTED = [
  DataFolderInUse,
  EngineUnavailable,
  InvalidConfiguration,
  LogDamaged,
  MaintenanceRefused,
  UnusableDataFolder,
]

/** A full disk, a file that may not be read: its message names the path. */
const isOfSystem = (error: unknown): boolean =>
  error instanceof Error && ('syscall' in error || ('code' in error && error.code === 'ERR_SQLITE_ERROR'))

// What is copied is its owner's alone.
process.umask(0o077)
const [name = '', ...words] = process.argv.slice(2)
try {
  say({ result: await COMMANDS.get(name)!(words) })
} catch (error) {
  if (!isOfSystem(error) && !EXPECTED.some((kind) => error instanceof kind)) throw error
  say({ refused: (error as Error).message })
  process.exitCode = 1
}
