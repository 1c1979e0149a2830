import { MedialogError, Unreachable } from '../errors.ts'
import { silent } from './silent.ts'
import type { Exchange, FilePart, Form, Reply, Transport } from './transport.ts'

/** HTTP by `fetch`; forms by XMLHttpRequest where it exists, since `fetch` reports no progress of an upload. */
export const connect = (): Transport => ({
  send: (exchange) =>
    typeof exchange.body === 'object' && typeof XMLHttpRequest === 'function'
      ? sendForm(exchange, exchange.body)
      : fetchReply(exchange),
  close() {},
})

async function fetchReply(exchange: Exchange): Promise<Reply> {
  const { method, url, headers, body, signal } = exchange
  const silence = new Silence(exchange)
  try {
    const response = await fetch(url, {
      method,
      headers,
      body: typeof body === 'object' ? await formData(body) : body,
      signal: signal ? AbortSignal.any([signal, silence.signal]) : silence.signal,
      cache: 'no-store',
      credentials: 'omit',
    })
    const reader = response.body?.getReader()
    async function* chunks(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) {
          silence.begin()
          const { done, value } = (await reader?.read()) ?? { done: true }
          if (done) return
          yield value!
        }
      } catch (error) {
        throw silence.failureOf(error)
      } finally {
        silence.end()
        // A reader that stops early ends the connection.
        reader?.cancel().catch(() => {})
      }
    }
    const cancel = (): void => {
      silence.end()
      reader?.cancel().catch(() => {})
    }
    return { status: response.status, headers: response.headers, body: chunks(), cancel }
  } catch (error) {
    throw silence.failureOf(error)
  }
}

/** Ends what hears nothing for too long, and says what an error of `fetch` means. */
class Silence {
  readonly #exchange: Exchange
  readonly #over = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(exchange: Exchange) {
    this.#exchange = exchange
    this.begin()
  }

  get signal(): AbortSignal {
    return this.#over.signal
  }

  begin(): void {
    this.end()
    this.#timer = setTimeout(() => this.#over.abort(), this.#exchange.timeoutMs)
  }

  end(): void {
    clearTimeout(this.#timer)
  }

  failureOf(error: unknown): unknown {
    this.end()
    const { signal, url } = this.#exchange
    if (signal?.aborted) return signal.reason
    if (error instanceof MedialogError) return error
    if (this.#over.signal.aborted) return silent(this.#exchange)
    // Browsers say no more: a page would learn what listens in its reader's network.
    return new Unreachable('broken', `No answer came from ${url.origin}.`, { cause: error })
  }
}

async function formData({ fields, files }: Form): Promise<FormData> {
  const form = new FormData()
  for (const [name, value] of fields) form.append(name, value)
  for (const file of files) form.append('file', await blobOf(file), file.name)
  return form
}

async function blobOf(file: FilePart): Promise<Blob> {
  if (file.blob) return file.blob
  const parts: BlobPart[] = []
  for await (const chunk of file.bytes()) parts.push(chunk as BlobPart)
  return new Blob(parts)
}

type BlobPart = Uint8Array<ArrayBuffer>

async function sendForm({ method, url, headers, signal, timeoutMs }: Exchange, form: Form): Promise<Reply> {
  const body = await formData(form)
  signal?.throwIfAborted()
  const total = form.files.reduce((sum, { size }) => sum + (size ?? 0), 0)
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const leave = (): void => request.abort()
    signal?.addEventListener('abort', leave)
    request.open(method, url.href)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.responseType = 'arraybuffer'
    // From the last byte on: how long the file takes to be sent is no silence.
    request.upload.addEventListener('load', () => (request.timeout = timeoutMs))
    request.upload.addEventListener('progress', ({ loaded, total: all }) =>
      form.onSent(all > 0 ? Math.min(total, Math.round((loaded / all) * total)) : loaded),
    )
    const ended = (end: () => void) => () => {
      signal?.removeEventListener('abort', leave)
      end()
    }
    request.addEventListener(
      'load',
      ended(() => {
        const bytes = new Uint8Array(request.response as ArrayBuffer)
        resolve({
          status: request.status,
          headers: headersOf(request.getAllResponseHeaders()),
          body: (async function* () {
            yield bytes
          })(),
          cancel() {},
        })
      }),
    )
    request.addEventListener(
      'abort',
      ended(() => reject(signal?.reason as Error)),
    )
    request.addEventListener(
      'error',
      ended(() => reject(new Unreachable('broken', `No answer came from ${url.origin}.`))),
    )
    request.addEventListener(
      'timeout',
      ended(() => reject(silent({ url, timeoutMs }))),
    )
    request.send(body)
  })
}

function headersOf(lines: string): Headers {
  const headers = new Headers()
  for (const line of lines.split('\r\n')) {
    const colon = line.indexOf(':')
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim())
  }
  return headers
}

export function fileAt(path: string | URL): Promise<FilePart> {
  throw new TypeError(`${String(path)} cannot be opened here: give a File, or a Blob with a name.`)
}

/** What is used of it: the types of browsers are not those that the rest is compiled with. */
interface FormRequest {
  readonly upload: {
    addEventListener(type: 'load', listener: () => void): void
    addEventListener(type: 'progress', listener: (progress: { loaded: number; total: number }) => void): void
  }
  readonly status: number
  readonly response: unknown
  responseType: 'arraybuffer'
  timeout: number
  addEventListener(type: 'load' | 'abort' | 'error' | 'timeout', listener: () => void): void
  open(method: string, url: string): void
  setRequestHeader(name: string, value: string): void
  getAllResponseHeaders(): string
  send(body: FormData): void
  abort(): void
}
declare const XMLHttpRequest: new () => FormRequest
