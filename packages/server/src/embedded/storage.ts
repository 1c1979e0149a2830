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

export interface StoragePlace {
  dataFolder: string
  /** Null: files of the data folder. */
  bucket: BucketSettings | null
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
 * In the bucket where one is configured, else in files of the data folder. `onError` hears of sweeps that failed.
 * @throws UnusableBucket, UnusableDataFolder, EngineUnavailable
 */
export async function openStorage(
  { dataFolder, bucket }: StoragePlace,
  onError: (error: unknown) => void,
): Promise<Storage> {
  return bucket ? inBucket(dataFolder, bucket, onError) : inFiles(dataFolder)
}

/** For a thread beside the one that opened the storage. */
export const openArtifacts = async ({ dataFolder, bucket }: StoragePlace): Promise<ArtifactStore> =>
  bucket ? openS3ArtifactStore(bucketOf(bucket)) : openFsArtifactStore(foldersIn(dataFolder).artifacts)

async function inFiles(dataFolder: string): Promise<Storage> {
  const folders = foldersIn(dataFolder)
  const artifacts = await openFsArtifactStore(folders.artifacts)
  await artifacts.sweep()
  return {
    place: folders.artifacts,
    artifacts,
    staging: await openFsStaging(folders.staging),
    keptAnswers: await openFsKeptAnswers(folders.answers),
    close: () => undefined,
  }
}

async function inBucket(
  dataFolder: string,
  settings: BucketSettings,
  onError: (error: unknown) => void,
): Promise<Storage> {
  const folders = foldersIn(dataFolder)
  await refuseFiles(dataFolder)
  const bucket = await openBucket(settings)
  const artifacts = openS3ArtifactStore(bucket)
  // The process is the only one of its log: what is staged is its own.
  const staging = await openS3Staging(bucket, { folder: folders.staging, graceMs: 0 })
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
