import { randomUUID } from 'node:crypto'
import type { UploadAnswer } from '../client/answers.ts'
import type { Client } from '../client/client.ts'
import { CliError, EXIT, Interrupted, Refused } from '../client/errors.ts'
import { withRetry, type RetryOptions } from '../client/retry.ts'
import type { PlannedFile } from './plan.ts'
import { sendForm, type SendingControls } from './send-form.ts'

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
  onWait: NonNullable<RetryOptions['onWait']>
}

/** Uploads one file under one Idempotency-Key, so that however often it is tried, it is stored and paid once. */
export async function uploadFile(
  client: Client,
  file: PlannedFile,
  controls: UploadControls,
): Promise<Outcome> {
  const idempotencyKey = randomUUID()
  try {
    const answer = await withRetry(() => send(client, file, idempotencyKey, controls), {
      attempts: controls.attempts,
      signal: controls.stop,
      onWait: controls.onWait,
    })
    return { kind: 'stored', file, answer }
  } catch (thrown) {
    const error = asCliError(thrown)
    if (error.code === 'DUPLICATE_FILE') return { kind: 'duplicate', file, existing: existingItem(error) }
    if (error instanceof Interrupted) return { kind: 'interrupted', file, error }
    const isSkipped = !file.named && error.code === 'UNSUPPORTED_FILE_TYPE'
    return { kind: isSkipped ? 'skipped' : 'failed', file, error }
  }
}

async function send(
  client: Client,
  file: PlannedFile,
  idempotencyKey: string,
  { collection, overwrite, ready, ...controls }: UploadControls,
): Promise<UploadAnswer> {
  await ready()
  const fields = { collection_id: collection, force_overwrite: overwrite ? 'true' : undefined }
  return sendForm(client, { path: '/v1/media', fields, files: [file], idempotencyKey }, controls)
}

function existingItem(error: CliError): { mediaId: string; collection: string } | null {
  if (!(error instanceof Refused)) return null
  const { media_id: mediaId, collection } = error.details
  return typeof mediaId === 'string' && typeof collection === 'string' ? { mediaId, collection } : null
}

export const asCliError = (error: unknown): CliError =>
  error instanceof CliError
    ? error
    : new CliError('UNREADABLE_FILE', `It cannot be read: ${(error as Error).message}.`, {
        exitCode: EXIT.failed,
      })
