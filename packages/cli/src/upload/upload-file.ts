import { Refused, type Client } from '@medialog/client'
import type { UploadAnswer } from '../client/answers.ts'
import { Interrupted, type CliError } from '../client/errors.ts'
import type { PlannedFile } from './plan.ts'
import { asCliError, sending, type SendingControls } from './sending.ts'

export type Outcome =
  | { kind: 'stored'; file: PlannedFile; answer: UploadAnswer }
  /** `existing`: the item that holds the content, unless another upload is just storing it. */
  | { kind: 'duplicate'; file: PlannedFile; existing: { mediaId: string; collection: string } | null }
  /** `skipped`: found in a folder, and of no supported type. */
  | { kind: 'failed' | 'skipped' | 'interrupted'; file: PlannedFile; error: CliError }

export interface UploadOptions {
  collection?: string
  overwrite: boolean
  /** How often to try each file in all. */
  attempts: number
}

export interface UploadControls extends UploadOptions, SendingControls {
  /** Resolves when a request may be sent. */
  ready: () => Promise<void>
}

/** Uploads one file: however often it is tried, it is stored and paid once. */
export async function uploadFile(
  client: Client,
  file: PlannedFile,
  { collection, overwrite, attempts, ready, ...controls }: UploadControls,
): Promise<Outcome> {
  const input = {
    file: file.path,
    ...(collection !== undefined && { collection_id: collection }),
    ...(overwrite && { force_overwrite: true }),
  }
  try {
    await ready()
    const answer = await sending(file.size, controls, (options) =>
      client.uploadMedia(input, { attempts, ...options }),
    )
    return { kind: 'stored', file, answer }
  } catch (thrown) {
    if (thrown instanceof Refused && thrown.code === 'DUPLICATE_FILE')
      return { kind: 'duplicate', file, existing: existingItem(thrown) }
    const error = asCliError(thrown)
    if (error instanceof Interrupted) return { kind: 'interrupted', file, error }
    const isSkipped = !file.named && error.code === 'UNSUPPORTED_FILE_TYPE'
    return { kind: isSkipped ? 'skipped' : 'failed', file, error }
  }
}

function existingItem({ details }: Refused): { mediaId: string; collection: string } | null {
  const { media_id: mediaId, collection } = details
  return typeof mediaId === 'string' && typeof collection === 'string' ? { mediaId, collection } : null
}
