import {
  FileTooLarge,
  UnreadableFile,
  UnsupportedFileType,
  type Application,
  type StagedFile,
  type Staging,
} from '@medialog/application'
import { MOST_BATCH_BYTES } from '@medialog/contract/http'
import { Refusal, refusalOf } from '../answers/refusal.ts'
import { heard, type FormFile, type UploadReader } from './upload-form.ts'

/** A file that is staged, or why it cannot be taken. */
export type BatchFile = { staged: StagedFile } | { problem: Problem }

interface Problem {
  code: string
  reason: string
}

/**
 * Stages the files of one batch. One that cannot be taken does not end the form: all of them are to be named at once.
 * What is too large in all does, and what its account has no room for: `received` receives the size of each piece.
 */
export function batchReader(
  { identify }: Pick<Application['ingest'], 'identify'>,
  staging: Staging,
  { idleMs, signal }: Pick<UploadReader<unknown>, 'idleMs' | 'signal'>,
  received: (bytes: number) => Promise<void>,
): UploadReader<BatchFile> {
  let total = 0
  const counted = (bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> =>
    heard(bytes, (more) => {
      total += more
      if (total > MOST_BATCH_BYTES) throw tooLarge()
      return received(more)
    })
  return {
    idleMs,
    signal,
    mostBytes: MOST_BATCH_BYTES,
    tooLarge,
    async stage(filename, bytes) {
      try {
        return { staged: await staging.stage(counted(bytes), (head) => identify(filename, head).maxBytes) }
      } catch (error) {
        const problem = problemOf(error)
        if (problem === null) throw error
        // Read to completion, within the limit of the batch: the next file comes after it.
        for await (const _ of counted(bytes));
        return { problem }
      }
    },
    release: async (file) => {
      if ('staged' in file) await staging.release(file.staged.id)
    },
  }
}

const tooLarge = (): Refusal =>
  new Refusal('VALIDATION_ERROR', `file must have at most ${MOST_BATCH_BYTES} bytes in all parts together`, {
    parameter: 'file',
    reason: `must have at most ${MOST_BATCH_BYTES} bytes in all parts together`,
    limit_bytes: MOST_BATCH_BYTES,
  })

function problemOf(error: unknown): Problem | null {
  const isOfFile =
    error instanceof FileTooLarge || error instanceof UnsupportedFileType || error instanceof UnreadableFile
  const refusal = isOfFile ? refusalOf(error) : null
  return refusal && { code: refusal.code.toLowerCase(), reason: refusal.message }
}

/** The files, all of them staged. @throws Refusal that names each which is not */
export function allStaged(files: readonly FormFile<BatchFile>[]): { filename: string; staged: StagedFile }[] {
  const problems = files.flatMap(({ filename, staged: file }, index) =>
    'problem' in file ? [{ index, filename, ...file.problem }] : [],
  )
  if (problems.length > 0)
    throw new Refusal(
      'INVALID_MEDIA',
      problems.length === 1
        ? `${problems[0]!.filename}: ${problems[0]!.reason}`
        : `${problems.length} of ${files.length} files cannot be processed.`,
      { files: problems },
    )
  return files.flatMap(({ filename, staged: file }) =>
    'staged' in file ? [{ filename, staged: file.staged }] : [],
  )
}
