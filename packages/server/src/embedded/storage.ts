import type { ArtifactStore, KeptAnswers, Staging } from '@medialog/application'
import {
  bucketOf,
  openBucket,
  openFsArtifactStore,
  openFsKeptAnswers,
  openFsStaging,
  openS3ArtifactStore,
  openS3KeptAnswers,
  openS3Staging,
  type BucketSettings,
} from '@medialog/artifacts'
import { UnusableDataFolder } from './data-folder.ts'
import { foldersIn } from './folders.ts'

const SWEEP_EVERY_MS = 24 * 3_600_000

/** Nothing is staged for longer than the longest upload takes: in shared places, what is older was left by a crash. */
const STAGED_FOR_MS = 3 * 3_600_000

export interface StoragePlace {
  dataFolder: string
  /** Null: files of the shared folder, if there is one, else of the data folder. */
  bucket: BucketSettings | null
  sharedFolder: string | null
}

export interface Storage {
  /** Where it is, for people. */
  place: string
  artifacts: ArtifactStore
  staging: Staging
  keptAnswers: KeptAnswers
  close(): void
}

/**
 * In the bucket where one is configured, else in files. `shared`: other processes may be at it. `onError` hears of sweeps
 * that failed.
 * @throws UnusableBucket, UnusableDataFolder, EngineUnavailable
 */
export async function openStorage(
  place: StoragePlace & { reservedBytes: number },
  shared: boolean,
  onError: (error: unknown) => void,
): Promise<Storage> {
  const graceMs = shared ? STAGED_FOR_MS : 0
  const staged = { graceMs, reservedBytes: place.reservedBytes }
  return place.bucket ? inBucket(place.dataFolder, place.bucket, staged, onError) : inFiles(place, staged)
}

interface StagingOptions {
  graceMs: number
  reservedBytes: number
}

/** For a thread beside the one that opened the storage. */
export const openArtifacts = async (place: StoragePlace): Promise<ArtifactStore> =>
  place.bucket ? openS3ArtifactStore(bucketOf(place.bucket)) : openFsArtifactStore(foldersOf(place).artifacts)

const foldersOf = ({ dataFolder, sharedFolder }: Omit<StoragePlace, 'bucket'>) =>
  foldersIn(sharedFolder ?? dataFolder)

async function inFiles(place: StoragePlace, staged: StagingOptions): Promise<Storage> {
  const folders = foldersOf(place)
  const artifacts = await openFsArtifactStore(folders.artifacts)
  if (staged.graceMs === 0) await artifacts.sweep()
  return {
    place: folders.artifacts,
    artifacts,
    staging: await openFsStaging(folders.staging, staged),
    keptAnswers: await openFsKeptAnswers(folders.answers),
    close: () => undefined,
  }
}

async function inBucket(
  dataFolder: string,
  settings: BucketSettings,
  staged: StagingOptions,
  onError: (error: unknown) => void,
): Promise<Storage> {
  const folders = foldersIn(dataFolder)
  await refuseFiles(dataFolder)
  const bucket = await openBucket(settings)
  const artifacts = openS3ArtifactStore(bucket)
  const staging = await openS3Staging(bucket, { folder: folders.staging, ...staged })
  const sweep = (): void => void artifacts.sweep().catch(onError)
  sweep()
  const sweeping = setInterval(sweep, SWEEP_EVERY_MS).unref()
  return {
    place: `the bucket ${settings.bucket}`,
    artifacts,
    staging,
    keptAnswers: openS3KeptAnswers(bucket),
    close() {
      clearInterval(sweeping)
      staging.close()
    },
  }
}

/** Items whose texts stayed behind in files would be found and could not be read. */
async function refuseFiles(dataFolder: string): Promise<void> {
  const { artifacts: folder } = foldersIn(dataFolder)
  for await (const _ of (await openFsArtifactStore(folder)).list())
    throw new UnusableDataFolder(
      dataFolder,
      `what was stored lies in ${folder}, not in the bucket: unset S3_URL, or name an empty folder in MEDIALOG_DATA_DIR.`,
    )
}
