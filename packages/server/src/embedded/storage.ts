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
  close(): Promise<void>
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
  const staged = { shared, reservedBytes: place.reservedBytes }
  return place.bucket ? inBucket(place.dataFolder, place.bucket, staged, onError) : inFiles(place, staged)
}

interface StagingOptions {
  shared: boolean
  reservedBytes: number
}

/** For a thread beside the one that opened the storage. */
export const openArtifacts = async (place: StoragePlace): Promise<ArtifactStore> =>
  place.bucket ? openS3ArtifactStore(bucketOf(place.bucket)) : openFsArtifactStore(foldersOf(place).artifacts)

const foldersOf = ({ dataFolder, sharedFolder }: Omit<StoragePlace, 'bucket'>) =>
  foldersIn(sharedFolder ?? dataFolder)

async function inFiles(place: StoragePlace, { shared, reservedBytes }: StagingOptions): Promise<Storage> {
  const folders = foldersOf(place)
  const artifacts = await openFsArtifactStore(folders.artifacts)
  if (!shared) await artifacts.sweep()
  const holders = shared ? { holders: folders.holders } : {}
  const staging = await openFsStaging(folders.staging, { reservedBytes, ...holders })
  return {
    place: folders.artifacts,
    artifacts,
    staging,
    keptAnswers: await openFsKeptAnswers(folders.answers),
    close: () => staging.close(),
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
      return staging.close()
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
