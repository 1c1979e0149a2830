import type { IncomingMessage, ServerResponse } from 'node:http'
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy'
import type { RouteContract } from '@medialog/contract/http'
import { Refusal } from '../answers/refusal.ts'
import { ClientGone } from './client-gone.ts'
import { inviteBody } from './expectation.ts'
import { cleanFilename } from './filename.ts'
import { hasBody } from './has-body.ts'
import { fieldsOf } from './input.ts'
import { invalid } from './issues.ts'
import { bodyTimeout } from './json-body.ts'
import { preferExtendedFilename } from './part-filename.ts'

const LIMITS = { fieldNameSize: 100, fields: 20, parts: 30, headerSize: 16 * 1024 }
const MOST_FIELD_BYTES = 8192
/** Bytes a millisecond that arrive at least: 1 kB a second. */
const SLOWEST = 1
/** What a form may hold besides its file: fields, part headers, boundaries. */
const MOST_FORM_BYTES = 1024 * 1024

export interface UploadForm<Staged> {
  /** At least one, in the order in which they were sent. */
  files: [FormFile<Staged>, ...FormFile<Staged>[]]
  fields: { [name: string]: string }
}

export interface FormFile<Staged> {
  filename: string
  staged: Staged
}

export interface UploadReader<Staged> {
  /** The most that all files together may have: a body announced to be larger is refused before it is sent. */
  mostBytes: number
  /** That refusal. */
  tooLarge(): Error
  /** No byte for that long, or so much longer than `SLOWEST` would take: the caller is gone or plays for time. */
  idleMs: number
  /** Ends the reading, with its reason. */
  signal: AbortSignal
  /** Longest field in bytes: 8192 unless told. */
  maxFieldBytes?: number
  /** May be left before the end of `bytes`, and `bytes` iterated again from there. */
  stage(filename: string, bytes: AsyncIterable<Uint8Array>): Promise<Staged>
  release(staged: Staged): Promise<void>
}

/** The same bytes; `received` is called with the size of each piece before it, and may throw to refuse it. */
export async function* heard(
  bytes: AsyncIterable<Uint8Array>,
  received: (bytes: number) => void | Promise<void>,
): AsyncIterable<Uint8Array> {
  for await (const chunk of bytes) {
    await received(chunk.byteLength)
    yield chunk
  }
}

/**
 * Reads a multipart form with one part `file`, or as many as the route takes, which stream into staging while they
 * arrive; its other fields may come before or after. Nothing stays staged when it throws.
 * @throws Refusal, ClientGone, and what `stage` throws
 */
export async function readUploadForm<Staged>(
  request: IncomingMessage,
  response: ServerResponse,
  route: RouteContract,
  reader: UploadReader<Staged>,
): Promise<UploadForm<Staged>> {
  const parser = createParser(request, route, reader.maxFieldBytes ?? MOST_FIELD_BYTES)
  if (Number(request.headers['content-length'] ?? 0) > reader.mostBytes + MOST_FORM_BYTES)
    throw reader.tooLarge()
  const form = new FormInProgress(route, reader)
  inviteBody(request, response)
  try {
    await feed(request, parser, form, reader)
    return await form.complete()
  } catch (error) {
    await form.abandon(error as Error)
    throw error
  }
}

function createParser(request: IncomingMessage, route: RouteContract, fieldSize: number): BusboyInstance {
  const { headers } = request
  const contentType = headers['content-type']
  if (!contentType && !headers['transfer-encoding'] && !Number(headers['content-length'] ?? 0))
    throw new Refusal('MISSING_FILE', 'file is required: send a multipart/form-data body with a file part.')
  if (!contentType || !/^multipart\/form-data\b/i.test(contentType))
    throw invalid(route, 'Content-Type', 'must be multipart/form-data')
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
    throw invalid(route, 'Content-Encoding', 'must be absent: compressed requests are not read')
  try {
    const parser = Busboy({
      headers: { 'content-type': contentType },
      preservePath: true,
      limits: { ...LIMITS, fieldSize },
      isPartAFile: (_name, _type, filename) => filename !== undefined,
    })
    preferExtendedFilename(parser)
    return parser
  } catch {
    throw invalid(route, 'Content-Type', 'must name the boundary of its parts')
  }
}

/** Pipes the request through the parser until the form is complete or cannot be any more. */
async function feed(
  request: IncomingMessage,
  parser: BusboyInstance,
  form: FormInProgress<unknown>,
  { idleMs, signal }: Pick<UploadReader<unknown>, 'idleMs' | 'signal'>,
): Promise<void> {
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    let until = performance.now() + idleMs
    const late = (): void => {
      const now = performance.now()
      // Paused means that staging is slow, not the caller.
      if (request.isPaused() || parser.writableNeedDrain) until = now + idleMs
      if (until > now) idle = setTimeout(late, until - now)
      else end(bodyTimeout())
    }
    let idle = setTimeout(late, idleMs)
    const onData = (chunk: Uint8Array): void => {
      until = Math.min(performance.now() + idleMs, until + chunk.byteLength / SLOWEST)
    }
    const onAbort = (): void => end(signal.reason as Error)
    const onClose = (): void => end(request.complete ? undefined : new ClientGone())
    function end(error?: Error): void {
      clearTimeout(idle)
      signal.removeEventListener('abort', onAbort)
      request.off('data', onData).off('close', onClose).off('error', onClose)
      request.unpipe(parser)
      if (error) reject(error)
      else resolve()
    }
    form.onProblem = end
    signal.addEventListener('abort', onAbort)
    parser.on('file', (name, stream, filename) => form.openFile(name, stream, filename))
    parser.on('field', (name, value, nameCut, valueCut) => form.addField(name, value, nameCut || valueCut))
    parser.on('fieldsLimit', () => form.fail('body', `must have at most ${LIMITS.fields} fields`))
    parser.on('partsLimit', () => form.fail('body', `must have at most ${LIMITS.parts} parts`))
    parser.on('error', () => form.incomplete())
    parser.on('finish', () => end())
    request.on('data', onData).on('close', onClose).on('error', onClose)
    if (hasBody(request)) request.pipe(parser)
    else parser.end()
  })
}

/** The parts as they come. */
class FormInProgress<Staged> {
  onProblem: (error: Error) => void = () => {}
  private readonly route: RouteContract
  private readonly reader: UploadReader<Staged>
  private problem: Error | null = null
  private readonly pairs: [string, string][] = []
  private readonly files: { filename: string; stream: BusboyFileStream; staged: Promise<Staged> }[] = []

  constructor(route: RouteContract, reader: UploadReader<Staged>) {
    this.route = route
    this.reader = reader
  }

  fail(parameter: string, reason: string): void {
    this.refuse(invalid(this.route, parameter, reason))
  }

  /** The first problem is reported, not the failures that it causes. */
  private refuse(problem: Error): void {
    this.problem ??= problem
    this.onProblem(this.problem)
  }

  incomplete(): void {
    this.fail('body', 'must be a complete multipart/form-data body')
  }

  addField(name: string | undefined, value: string, cut: boolean): void {
    if (name === undefined) this.fail('body', 'must name each of its fields')
    else if (name === 'file') this.refuse(fileMissing())
    else if (cut) this.fail(name, `must have at most ${this.reader.maxFieldBytes ?? MOST_FIELD_BYTES} bytes`)
    else this.pairs.push([name, value])
  }

  openFile(name: string | undefined, stream: BusboyFileStream, sent: string): void {
    // The parser reports a part that broke off by the event alone; a destroyed stream is staging's own refusal.
    stream.on('error', () => {
      if (!stream.destroyed) this.incomplete()
    })
    const filename = cleanFilename(sent)
    const most = this.route.mostFiles ?? 1
    if (name !== 'file') this.fail(name ?? 'body', 'is not a known file part: send one part named file')
    else if (this.files.length >= most) this.fail('file', `must be given ${timesAtMost(most)}`)
    else if (!sent) this.refuse(fileMissing())
    else if (!filename) this.fail('file', 'needs a file name')
    else {
      // A reader that stops in the middle of the bytes does not end the form's other parts.
      const bytes = { [Symbol.asyncIterator]: () => stream.iterator({ destroyOnReturn: false }) }
      const staged = this.reader.stage(filename, bytes as AsyncIterable<Uint8Array>)
      staged.catch((error: unknown) => this.refuse(error as Error))
      this.files.push({ filename, stream, staged })
      return
    }
    stream.resume()
  }

  async complete(): Promise<UploadForm<Staged>> {
    // The parser may say that it has finished before it says that a part broke off.
    await Promise.allSettled(this.files.map(({ staged }) => staged))
    if (this.problem) throw this.problem
    const [first, ...others] = await Promise.all(
      this.files.map(async ({ filename, staged }) => ({ filename, staged: await staged })),
    )
    if (!first) throw fileMissing()
    return { files: [first, ...others], fields: fieldsOf(this.route, this.pairs) }
  }

  /** Ends the staging that is under way, and takes back what is staged already. */
  async abandon(cause: Error): Promise<void> {
    for (const { stream } of this.files) stream.destroy(cause)
    for (const outcome of await Promise.allSettled(this.files.map(({ staged }) => staged)))
      if (outcome.status === 'fulfilled') await this.reader.release(outcome.value)
  }
}

const timesAtMost = (most: number): string => (most === 1 ? 'once' : `at most ${most} times`)

const fileMissing = (): Refusal =>
  new Refusal('MISSING_FILE', 'file is required: a part named file, with a file name.')
