import { QuotaExceeded } from '@medialog/application/core/errors'
import {
  EngineUnavailable,
  StreamDamaged,
  UnreadableFile,
  UnsupportedFileType,
  type UnreadableReason,
} from '@medialog/application/ports'
import type { JobErrorCode } from '@medialog/domain'
import { JobStopped, TriedTooOften } from './stopping.ts'

/** What the log keeps of a failed job, permanently: fixed sentences, never one that might quote the file. */
interface JobFailure {
  code: JobErrorCode
  message: string
}

const OF_UNREADABLE: Record<UnreadableReason, JobFailure> = {
  corrupted: { code: 'corrupted_file', message: 'The file is damaged: it could not be read.' },
  encrypted: { code: 'corrupted_file', message: 'The file needs a password.' },
  'too-large': { code: 'validation_error', message: 'The file plays or expands beyond its limits.' },
  timeout: { code: 'timeout_error', message: 'Reading the file took too long.' },
  memory: { code: 'resource_error', message: 'Reading the file takes more memory than is allowed.' },
}

const CANCELLED: JobFailure = {
  code: 'cancelled',
  message: 'The batch was cancelled before the file was processed.',
}
const UNSUPPORTED: JobFailure = { code: 'format_error', message: 'The file is of no supported format.' }
const OVER_QUOTA: JobFailure = { code: 'quota_exceeded', message: 'The storage quota is used up.' }
const NOT_STORED: JobFailure = {
  code: 'storage_error',
  message: 'What was read of the file could not be stored.',
}
const NOT_PROCESSED: JobFailure = {
  code: 'processing_error',
  message: 'A part of the service was unavailable while the file was processed.',
}

const DAMAGED: JobFailure = {
  code: 'processing_error',
  message: 'A record of the account is damaged, and the operator of the service has to mend it.',
}

const TRIED: JobFailure = {
  code: 'processing_error',
  message: 'The service ended each time the file was processed.',
}

/** Engines that files lie in. */
const STORES = ['artifact store', 'staging', 'object storage']

/** Why a job failed, by the listed codes. */
export function failureOf(error: unknown): JobFailure {
  if (error instanceof JobStopped) return CANCELLED
  if (error instanceof TriedTooOften) return TRIED
  if (error instanceof UnreadableFile) return OF_UNREADABLE[error.reason]
  if (error instanceof UnsupportedFileType) return UNSUPPORTED
  if (error instanceof QuotaExceeded) return OVER_QUOTA
  if (error instanceof StreamDamaged) return DAMAGED
  return error instanceof EngineUnavailable && STORES.includes(error.engine) ? NOT_STORED : NOT_PROCESSED
}
