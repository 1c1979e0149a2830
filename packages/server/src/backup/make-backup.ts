import { existsSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  createBackground,
  signTree,
  TreeFollower,
  type LogSummary,
  type ArtifactStore,
} from '@medialog/application'
import { openFsArtifactStore } from '@medialog/artifacts'
import { syncFolder } from '@medialog/artifacts/fs/files'
import {
  copyDatabase,
  copyLeaves,
  openSqliteLeaves,
  openSqliteLogReader,
  type LogReader,
} from '@medialog/event-store'
import { isoTime, systemClock } from '@medialog/kernel'
import type { Config } from '../config.ts'
import { formatOf, readFolderFormat } from '../embedded/folder-format.ts'
import { foldersIn } from '../embedded/folders.ts'
import { keyFile, openCheckpointKey } from '../checkpoint-key.ts'
import {
  ArtifactCopies,
  finishedRuns,
  holdBackupFolder,
  removeOtherRuns,
  runFolder,
} from './backup-folder.ts'
import { forEachArtifact, readArtifact, type NamedArtifact } from './copy-artifacts.ts'
import { encryptionTo, PLAIN, type EncryptTo } from './encryption.ts'
import { Damaged, MaintenanceRefused } from './errors.ts'
import { copyHashed, digestOf, type FileDigest } from './hashed-files.ts'
import { readHeading, writeManifest, type Manifest } from './manifest.ts'
import { progressInParts, type OnProgress } from './progress.ts'
import { summaryOf, withLog } from './read-log.ts'
import { RELEASE } from '../release.ts'
import { openWorkFolder } from './work-folder.ts'

export type BackupSource = Pick<
  Config,
  'dataFolder' | 'eventStoreDb' | 'bucket' | 'sharedFolder' | 'checkpointKey'
>

export interface BackupOptions {
  /** Null: as it is. */
  encryptTo: EncryptTo | null
  /** How many backups the folder holds afterwards, this one included. */
  keep: number
}

export interface BackupReport {
  manifest: Manifest
  /** How many backups the folder holds. */
  kept: number
  /** Artifacts that the folder did not have yet, and those that it no longer needs. */
  copied: number
  removed: number
  seconds: number
}

/** Each begins with what the log says by then. More means that items go faster than they can be copied. */
const MOST_SNAPSHOTS = 10

/**
 * Copies everything of a data folder that cannot be made again, as it is at one position of its log, whether a service has
 * it open or not. Artifacts that `folder` has already are not copied again. Until the manifest takes its place at the end,
 * the backup before this one is what the folder holds: whatever ends the process leaves that whole.
 * @throws MaintenanceRefused, Damaged
 */
export async function makeBackup(
  source: BackupSource,
  folder: string,
  { encryptTo, keep }: BackupOptions,
  onProgress: OnProgress,
): Promise<BackupReport> {
  const started = performance.now()
  requireEmbedded(source)
  const { dataFolder } = source
  using _lock = holdBackupFolder(folder, dataFolder)
  const before = readHeading(folder)
  if (before && 'encrypted_to' in before && encryptTo === null)
    throw new MaintenanceRefused(
      `The backups in ${folder} are encrypted: say to what this one is to be, or name another folder.`,
    )
  const encryption = encryptTo && (await encryptionTo(encryptTo, folder, dataFolder))
  await removeOtherRuns(folder, [before?.run, ...(await finishedRuns(folder))])
  const run = `${isoTime(systemClock.now()).replaceAll(/[^\dT]/g, '')}-${process.pid}`
  await using work = encryption && (await openWorkFolder('backup', folder))
  const files = work?.path ?? runFolder(folder, run)
  const copies = new ArtifactCopies(folder, encryption ?? PLAIN)
  const part = progressInParts(onProgress)
  await copyDeliveries(dataFolder, files)
  const summary = await copyLogAndArtifacts(dataFolder, files, copies, part(0.9))
  await copies.sync()
  await copySecrets(dataFolder, files)
  const signed = await copyTree(source, files)
  part(0.1)({ ratio: 0, message: 'writing the manifest' })
  const digests = await digestsIn(files)
  if (encryption)
    for (const path of Object.keys(digests))
      await copyHashed(
        join(files, path),
        join(runFolder(folder, run), encryption.pathOf(path)),
        encryption.cipher,
      )
  const content = {
    release: RELEASE.version,
    made_at: isoTime(systemClock.now()),
    data_format: formatOf(readFolderFormat(dataFolder)),
    run,
    ...summary,
    artifacts: { files: copies.files, bytes: copies.bytes },
    checkpoint: signed.note,
    key: signed.key,
    files: digests,
  }
  await copies.list(run)
  const manifest = await writeManifest(folder, content, encryption)
  const older = (await finishedRuns(folder)).filter((other) => other !== run).slice(0, keep - 1)
  await removeOtherRuns(folder, [run, ...older])
  const removed = await copies.removeOthers(older)
  return {
    manifest,
    kept: older.length + 1,
    copied: copies.copied,
    removed,
    seconds: (performance.now() - started) / 1_000,
  }
}

/** What is on servers has means of its own to be copied, and lies elsewhere when it is restored. */
function requireEmbedded({
  dataFolder,
  eventStoreDb,
  bucket,
  sharedFolder,
  checkpointKey,
}: BackupSource): void {
  const elsewhere =
    eventStoreDb !== null
      ? 'The log is on an EventStoreDB server'
      : bucket !== null
        ? 'What is stored is in a bucket'
        : sharedFolder !== null
          ? 'What is stored is in a shared folder'
          : null
  if (elsewhere !== null)
    throw new MaintenanceRefused(
      `${elsewhere}: this command copies data folders that hold everything. docs/operating.md says how that is backed up.`,
    )
  if (!existsSync(foldersIn(dataFolder).log))
    throw new MaintenanceRefused(
      `${dataFolder} is no data folder: there is no log in it. Name one with --data-dir.`,
    )
  if (readFolderFormat(dataFolder)?.unfinished)
    throw new MaintenanceRefused(
      `${dataFolder} is not whole: a restore or a migration into it was not finished.`,
    )
  // A service made both, unless it signs with a key from elsewhere.
  const { leaves } = foldersIn(dataFolder)
  if (checkpointKey === null && existsSync(leaves) && !existsSync(keyFile(dataFolder)))
    throw new MaintenanceRefused(
      `The key that signs checkpoints is not in ${dataFolder}: name it in MEDIALOG_CHECKPOINT_KEY, as for the service.`,
    )
}

/** How far webhooks are. Before the log: they follow it, and would wait for one that ends before where they are. */
async function copyDeliveries(dataFolder: string, files: string): Promise<void> {
  const { webhooks } = foldersIn(dataFolder)
  if (existsSync(webhooks)) await copyDatabase(webhooks, foldersIn(files).webhooks)
}

type Counts = Pick<Manifest, 'position' | 'events' | 'accounts' | 'items' | 'balance'>

/**
 * The log as it is at one moment, then what it names. What the eraser takes away in between was deleted by then: the log
 * is copied again, and names it no more. What it still names and is not there is damage.
 */
async function copyLogAndArtifacts(
  dataFolder: string,
  files: string,
  copies: ArtifactCopies,
  onProgress: OnProgress,
): Promise<Counts> {
  const { log, artifacts } = foldersIn(dataFolder)
  const store = await openFsArtifactStore(artifacts)
  let missing = new Set<string>()
  for (let snapshot = 1; snapshot <= MOST_SNAPSHOTS; snapshot++) {
    const part = progressInParts(onProgress)
    copies.begin()
    const copy = foldersIn(files).log
    await copyLog(log, copy, part(0.3))
    const { counts, wrong } = await withLog(copy, async (reader) => {
      const summary = await summaryOf(reader, part(0.2))
      return {
        counts: await countsOf(reader, summary),
        wrong: await copyArtifacts(store, reader, summary, copies, part(0.5)),
      }
    })
    if (wrong.length === 0) return counts
    const still = wrong.map(described).filter((artifact) => missing.has(artifact))
    if (still.length > 0) throw new Damaged(`The data folder ${dataFolder}`, still)
    missing = new Set(wrong.map(described))
  }
  throw new MaintenanceRefused('Items were deleted faster than they could be copied: try again.')
}

async function copyLog(from: string, to: string, onProgress: OnProgress): Promise<void> {
  await rm(to, { force: true })
  await copyDatabase(from, to, (ratio) => onProgress({ ratio, message: 'copying the log' }))
}

async function countsOf(log: LogReader, summary: LogSummary): Promise<Counts> {
  const { events, accounts, balance } = summary
  return {
    position: await log.head(),
    events,
    accounts,
    items: summary.items.alive,
    balance: String(balance),
  }
}

/** What is dead is on its way out, and is not copied. Answers what could not be. */
const copyArtifacts = (
  store: ArtifactStore,
  log: LogReader,
  summary: LogSummary,
  copies: ArtifactCopies,
  onProgress: OnProgress,
): Promise<NamedArtifact[]> =>
  forEachArtifact(
    log,
    [...summary.items.items()].filter(({ endedAt }) => endedAt === null),
    async (artifact) => {
      if (await copies.has(artifact)) return null
      const bytes = await readArtifact(store, artifact)
      if (bytes === null) return artifact
      await copies.put(artifact.sha256, bytes)
      return null
    },
    onProgress,
  )

const described = ({ mediaId, ingestId, name }: NamedArtifact): string =>
  `${name} of ingest ${ingestId} of item ${mediaId} is missing, or not what was stored`

/** The leaves of all events of the copied log, and a checkpoint over them that is signed as the service signs its own. */
async function copyTree(
  { dataFolder, checkpointKey }: BackupSource,
  files: string,
): Promise<{ note: string; key: string }> {
  const [from, to] = [foldersIn(dataFolder).leaves, foldersIn(files)]
  const log = openSqliteLogReader({ path: to.log })
  try {
    if (existsSync(from)) await copyLeaves(from, to.leaves, await log.head())
    const leaves = openSqliteLeaves(to.leaves)
    // The service may not have got as far with its leaves as the log is.
    const background = createBackground(() => undefined)
    const follower = new TreeFollower({ eventStore: log, leaves, background }, () => undefined)
    try {
      const { size, root } = await follower.now()
      // Without a key in the data folder yet this makes one in the backup, which is the restored folder's then.
      const signer = openCheckpointKey({ dataFolder: files, checkpointKey })
      return await signTree({ size, root, leaves, signer })
    } finally {
      await follower.close()
      await leaves.close()
    }
  } finally {
    await log.close()
  }
}

async function copySecrets(dataFolder: string, files: string): Promise<void> {
  const from = join(dataFolder, 'secrets')
  for (const name of existsSync(from) ? readdirSync(from) : [])
    // One that a crash left half-written is not there for the service either.
    if (!name.endsWith('.new')) await copyHashed(join(from, name), join(files, 'secrets', name))
}

/** Of all files of the run, by their paths in it; from here on their names are on disk. */
async function digestsIn(files: string): Promise<Record<string, FileDigest>> {
  const digests: [path: string, digest: FileDigest][] = []
  for (const folder of readdirSync(files)) {
    for (const name of readdirSync(join(files, folder)))
      digests.push([`${folder}/${name}`, await digestOf(join(files, folder, name))])
    await syncFolder(join(files, folder))
  }
  for (const folder of [files, dirname(files)]) await syncFolder(folder)
  return Object.fromEntries(digests)
}
