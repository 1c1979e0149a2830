import { EngineUnavailable } from '@medialog/application'
import { DataFolderInUse, LogDamaged } from '@medialog/event-store'
import { formatUsd } from '@medialog/kernel'
import { applyErasures } from './backup/apply-erasures.ts'
import { exportErasures, NOTHING_ERASED, readErasures } from './backup/erasure-list.ts'
import { MaintenanceRefused } from './backup/errors.ts'
import { encryptToOf, openWithOf, writeKeys, type KeyFiles } from './backup/keys.ts'
import { listBackups } from './backup/list.ts'
import { makeBackup, type BackupOptions } from './backup/make-backup.ts'
import type { Manifest } from './backup/manifest.ts'
import type { BackupPlace } from './backup/opened-backup.ts'
import type { OnProgress } from './backup/progress.ts'
import { restore } from './backup/restore.ts'
import { verifyBackup } from './backup/verify.ts'
import { openFormerKey } from './checkpoint-key.ts'
import { InvalidConfiguration, readConfig } from './config.ts'
import { UnusableDataFolder } from './embedded/data-folder.ts'

/**
 * What is done to data folders, backups and logs beside a service, in a process of its own that the command line starts: the
 * name of what is to be done, and its options as JSON. Says how far it is and the result, a line of JSON each:
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

/** Paths are absolute. */
interface Options extends KeyFiles {
  folder: string
  /** How many backups are kept. */
  keep: number
  /** Which backup of a folder; the last one where it is left out. */
  run?: string
  /** How many items have their artifacts read. */
  sample: number
  data: string
  /** A list of erasures. */
  erasures?: string
  file: string
}

const backupOf = ({ folder, run, ...keys }: Options): BackupPlace => ({
  folder,
  openWith: openWithOf(keys),
  ...(run !== undefined && { run }),
})

/** What a backup holds, as its manifest says it. */
const contentsOf = ({
  run,
  made_at,
  release,
  position,
  events,
  accounts,
  items,
  balance,
  checkpoint,
  key,
}: Manifest) => ({
  run,
  made_at,
  release,
  position,
  events,
  accounts,
  items,
  balance_usd: formatUsd(BigInt(balance)),
  checkpoint,
  key,
})

const COMMANDS: ReadonlyMap<string, (options: Options) => Promise<Result>> = new Map(
  Object.entries<(options: Options) => Promise<Result>>({
    async backup({ folder, keep, ...keys }) {
      const to: BackupOptions = { encryptTo: encryptToOf(keys), keep }
      const report = await makeBackup(readConfig(process.env), folder, to, progressSaid())
      const { manifest, copied, removed, kept, seconds } = report
      return {
        ...contentsOf(manifest),
        artifacts: { ...manifest.artifacts, copied, removed },
        encrypted: to.encryptTo !== null,
        kept,
        seconds,
      }
    },

    'backup-key': async ({ file }) => ({ file, recipient: await writeKeys(file) }),

    'backup-list': async ({ folder }) => ({ backups: await listBackups(folder) }),

    async 'backup-verify'(options) {
      const former = openFormerKey(readConfig(process.env))
      const report = await verifyBackup(backupOf(options), options.sample, progressSaid(), former)
      const { manifest, ...proven } = report
      return { ...contentsOf(manifest), artifacts: manifest.artifacts, ...proven }
    },

    async restore(options) {
      const erasures = options.erasures === undefined ? NOTHING_ERASED : readErasures(options.erasures)
      const former = openFormerKey(readConfig(process.env))
      const restored = await restore(backupOf(options), options.data, erasures, progressSaid(), former)
      const { manifest, balance, ...report } = restored
      return { ...contentsOf(manifest), ...report, balance_usd: formatUsd(balance) }
    },

    'export-erasures': async ({ file }) => ({
      ...(await exportErasures(readConfig(process.env), file, progressSaid())),
    }),

    'apply-erasures': async ({ file }) => ({
      ...(await applyErasures(readConfig(process.env), readErasures(file), progressSaid())),
    }),
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
const [name = '', options = '{}'] = process.argv.slice(2)
try {
  say({ result: await COMMANDS.get(name)!(JSON.parse(options) as Options) })
} catch (error) {
  if (!isOfSystem(error) && !EXPECTED.some((kind) => error instanceof kind)) throw error
  say({ refused: (error as Error).message })
  process.exitCode = 1
}
