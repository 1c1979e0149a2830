import type { IncomingMessage, ServerResponse } from 'node:http'
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy'
import { FileTooLarge, type StagedFile } from '@medialog/application'
import type { RouteContract } from '@medialog/contract/http'
import { Refusal } from '../answers/refusal.ts'
import { ClientGone } from './client-gone.ts'
import { inviteBody } from './expectation.ts'
import { cleanFilename } from './filename.ts'
import { fieldsOf } from './input.ts'
import { invalid } from './issues.ts'
import { bodyTimeout } from './json-body.ts'
import { preferExtendedFilename } from './part-filename.ts'

const LIMITS = { fieldNameSize: 100, fields: 20, parts: 30, headerSize: 16 * 1024 }
const MOST_FIELD_BYTES = 8192
/** What a form may hold besides its file: fields, part headers, boundaries. */
const MOST_FORM_BYTES = 1024 * 1024

export interface UploadForm {
  filename: string
  staged: StagedFile
  fields: { [name: string]: string }
}

export interface UploadReader {
  /** Largest file of any format: a body announced to be larger is refused before it is sent. */
  mostBytes: number
  /** No byte for that long: the caller is gone or plays for time. */
  idleMs: number
  /** Longest field in bytes: 8192 unless told. */
  maxFieldBytes?: number
  stage(filename: string, bytes: AsyncIterable<Uint8Array>): Promise<StagedFile>
  release(staged: StagedFile): Promise<void>
}

/**
 * Reads a multipart form with exactly one part `file`, which streams into staging while it arrives; its other fields
 * may come before or after. Nothing stays staged when it throws.
 * @throws Refusal, ClientGone, and what `stage` throws
 */
export async function readUploadForm(
  request: IncomingMessage,
  response: ServerResponse,
  route: RouteContract,
  reader: UploadReader,
): Promise<UploadForm> {
  const parser = createParser(request, route, reader.maxFieldBytes ?? MOST_FIELD_BYTES)
  if (Number(request.headers['content-length'] ?? 0) > reader.mostBytes + MOST_FORM_BYTES)
    throw new FileTooLarge(reader.mostBytes)
  const form = new FormInProgress(route, reader)
  inviteBody(request, response)
  try {
    await feed(request, parser, form, reader.idleMs)
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
function feed(
  request: IncomingMessage,
  parser: BusboyInstance,
  form: FormInProgress,
  idleMs: number,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const idle = setTimeout(() => {
      // Paused means that staging is slow, not the caller.
      if (request.isPaused() || parser.writableNeedDrain) idle.refresh()
      else end(bodyTimeout())
    }, idleMs)
    const onData = (): void => void idle.refresh()
    const onClose = (): void => end(request.complete ? undefined : new ClientGone())
    function end(error?: Error): void {
      clearTimeout(idle)
      request.off('data', onData).off('close', onClose).off('error', onClose)
      request.unpipe(parser)
      if (error) reject(error)
      else resolve()
    }
    form.onProblem = end
    parser.on('file', (name, stream, filename) => form.openFile(name, stream, filename))
    parser.on('field', (name, value, nameCut, valueCut) => form.addField(name, value, nameCut || valueCut))
    parser.on('fieldsLimit', () => form.fail('body', `must have at most ${LIMITS.fields} fields`))
    parser.on('partsLimit', () => form.fail('body', `must have at most ${LIMITS.parts} parts`))
    parser.on('error', () => form.incomplete())
    parser.on('finish', () => end())
    request.on('data', onData).on('close', onClose).on('error', onClose)
    request.pipe(parser)
  })
}

/** The parts as they come. */
class FormInProgress {
  onProblem: (error: Error) => void = () => {}
  private readonly route: RouteContract
  private readonly reader: UploadReader
  private problem: Error | null = null
  private readonly pairs: [string, string][] = []
  private file: { filename: string; stream: BusboyFileStream; staged: Promise<StagedFile> } | null = null

  constructor(route: RouteContract, reader: UploadReader) {
    this.route = route
    this.reader = reader
  }

  fail(parameter: string, reason: string): void {
    this.refuse(invalid(this.route, parameter, reason))
  }

  /** The first problem is the one that is told, whatever it makes fail after it. */
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
    // The parser tells of a part that broke off by the event alone; a destroyed stream is staging's own refusal.
    stream.on('error', () => {
      if (!stream.destroyed) this.incomplete()
    })
    const filename = cleanFilename(sent)
    if (name !== 'file') this.fail(name ?? 'body', 'is not a known file part: send one part named file')
    else if (this.file) this.fail('file', 'must be given once')
    else if (!sent) this.refuse(fileMissing())
    else if (!filename) this.fail('file', 'needs a file name')
    else {
      const staged = this.reader.stage(filename, stream)
      staged.catch((error: unknown) => this.refuse(error as Error))
      this.file = { filename, stream, staged }
      return
    }
    stream.resume()
  }

  async complete(): Promise<UploadForm> {
    if (!this.file) throw fileMissing()
    const { filename, staged } = this.file
    // The parser may say that it has finished before it says that a part broke off.
    await staged.catch(() => {})
    if (this.problem) throw this.problem
    return { filename, staged: await staged, fields: fieldsOf(this.route, this.pairs) }
  }

  /** Ends the staging that is under way, or takes back what is staged already. */
  async abandon(cause: Error): Promise<void> {
    if (!this.file) return
    this.file.stream.destroy(cause)
    const staged = await this.file.staged.catch(() => null)
    if (staged) await this.reader.release(staged)
  }
}

const fileMissing = (): Refusal =>
  new Refusal('MISSING_FILE', 'file is required: a part named file, with a file name.')
