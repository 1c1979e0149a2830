import { Refused, type BatchCreation, type Client, type CreateBatchInput } from '@medialog/client'
import { MOST_BATCH_BYTES, MOST_BATCH_FILES } from '@medialog/contract/http'
import type { PlannedFile } from './plan.ts'
import { sending, type SendingControls } from './sending.ts'

export interface SentBatches {
  batches: BatchCreation[]
  /** Found in folders, and of no supported type. */
  skipped: PlannedFile[]
}

interface BatchOptions {
  collection?: string
  overwrite?: boolean
  name?: string
}

interface BatchControls extends SendingControls {
  attempts: number
}

/**
 * Sends files as few batches as they fit in, one after the other; however often one is
 * tried, it is one batch. `sent` lists the batches made so far, also when this throws. @throws as `sending`
 */
export async function sendBatches(
  client: Client,
  files: readonly PlannedFile[],
  options: BatchOptions,
  controls: BatchControls,
  sent: SentBatches,
): Promise<void> {
  for (let group of groupsOf(files))
    while (group.length > 0) {
      const input = inputOf(group, options)
      const size = group.reduce((total, file) => total + file.size, 0)
      try {
        sent.batches.push(
          await sending(size, controls, (sendingOptions) =>
            client.createBatch(input, { attempts: controls.attempts, ...sendingOptions }),
          ),
        )
        break
      } catch (error) {
        const unsupported = unsupportedIn(group, error)
        if (unsupported === null) throw error
        sent.skipped.push(...unsupported)
        group = group.filter((file) => !unsupported.includes(file))
      }
    }
}

/** In order, each as large as a batch may be. */
function groupsOf(files: readonly PlannedFile[]): PlannedFile[][] {
  const groups: PlannedFile[][] = []
  let bytes = Infinity
  for (const file of files) {
    if (
      groups.length === 0 ||
      groups.at(-1)!.length === MOST_BATCH_FILES ||
      bytes + file.size > MOST_BATCH_BYTES
    ) {
      groups.push([])
      bytes = 0
    }
    groups.at(-1)!.push(file)
    bytes += file.size
  }
  return groups
}

const inputOf = (
  files: readonly PlannedFile[],
  { collection, overwrite, name }: BatchOptions,
): CreateBatchInput => ({
  file: files.map(({ path }) => path),
  ...(collection !== undefined && { collection_id: collection }),
  ...(overwrite && { force_overwrite: true }),
  ...(name !== undefined && { batch_options: { batch_name: name } }),
})

/** The files of folders that were refused for their type. Null if the batch was refused for any other reason too. */
function unsupportedIn(files: readonly PlannedFile[], error: unknown): PlannedFile[] | null {
  if (!(error instanceof Refused) || error.code !== 'INVALID_MEDIA') return null
  const problems = error.details['files'] as { index: number; code: string }[] | undefined
  if (!problems?.length) return null
  const isSkipped = ({ index, code }: (typeof problems)[number]): boolean =>
    code === 'unsupported_file_type' && files[index]?.named === false
  return problems.every(isSkipped) ? problems.map(({ index }) => files[index]!) : null
}
