import { FileTooLarge, type Format, type StagedFile } from '@medialog/application'
import type { RouteContract } from '@medialog/contract/http'
import type { z } from 'zod'
import type { EdgeContext } from '../exchange.ts'
import { BODY_TIMEOUT_MS, type HttpOptionsOf } from '../options.ts'
import { parse } from './input.ts'
import { heard, readUploadForm } from './upload-form.ts'

export interface FileForm<Fields> {
  filename: string
  staged: StagedFile
  form: Fields
}

export interface FileLimits {
  /** Largest file of a format in bytes. */
  maxBytes: (format: Format) => number
  /** Longest field in bytes. */
  maxFieldBytes?: number
  /** Ends the reading, with its reason. */
  signal: AbortSignal
  /** Receives the size of each piece of the file, and may throw to refuse it. */
  received: (bytes: number) => void
}

/** A multipart form with its file staged and its fields parsed. Nothing stays staged when it throws. */
export async function readFileForm<R extends RouteContract & { form: z.ZodType }>(
  ctx: EdgeContext,
  route: R,
  { application: { ingest }, staging, bodyTimeoutMs: idleMs = BODY_TIMEOUT_MS }: HttpOptionsOf<'ingest'>,
  { maxBytes, maxFieldBytes, received, signal }: FileLimits,
): Promise<FileForm<z.output<R['form']>>> {
  // By the id of the request it is known whose file it is.
  const { requestId } = ctx.state.exchange
  const { files, fields } = await readUploadForm(ctx.req, ctx.res, route, {
    idleMs,
    signal,
    mostBytes: ingest.largestFile,
    tooLarge: () => new FileTooLarge(ingest.largestFile),
    stage: (name, bytes) =>
      staging.stage(heard(bytes, received), (head) => maxBytes(ingest.identify(name, head)), requestId),
    release: ({ id }) => staging.release(id),
    ...(maxFieldBytes !== undefined && { maxFieldBytes }),
  })
  const [{ filename, staged }] = files
  try {
    return { filename, staged, form: parse(route, route.form, fields) as z.output<R['form']> }
  } catch (error) {
    await staging.release(staged.id)
    throw error
  }
}
