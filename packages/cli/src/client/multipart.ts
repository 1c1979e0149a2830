import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'

export interface FilePart {
  path: string
  filename: string
  /** As it was when the upload was planned; a file that got shorter since is an error, one that grew is cut. */
  size: number
}

export interface Multipart {
  headers: { 'content-type': string; 'content-length': string }
  body: Readable
}

/**
 * A multipart/form-data body that reads the files as it is sent: memory does not grow with them, and its length is
 * known beforehand. `onSent` is told the bytes of the files as they leave.
 */
export function multipart(
  fields: { readonly [name: string]: string | undefined },
  files: readonly FilePart[],
  onSent: (bytes: number) => void,
): Multipart {
  const boundary = `medialog-${randomBytes(18).toString('base64url')}`
  const start = (disposition: string, more = '') =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n`
  const head = Object.entries(fields)
    .map(([name, value]) => (value === undefined ? '' : `${start(`name="${name}"`)}${value}\r\n`))
    .join('')
  const starts = files.map(({ filename }) =>
    start(`name="file"; filename="${quoted(filename)}"`, 'Content-Type: application/octet-stream\r\n'),
  )
  const tail = `--${boundary}--\r\n`
  async function* parts() {
    yield Buffer.from(head)
    for (const [index, file] of files.entries()) {
      yield Buffer.from(starts[index]!)
      yield* contentOf(file, onSent)
      yield Buffer.from('\r\n')
    }
    yield Buffer.from(tail)
  }
  const around = Buffer.byteLength(head + starts.join('') + tail) + files.length * '\r\n'.length
  const length = files.reduce((total, { size }) => total + size, around)
  return {
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(length),
    },
    body: Readable.from(parts(), { objectMode: false }),
  }
}

async function* contentOf({ path, size }: FilePart, onSent: (bytes: number) => void) {
  let sent = 0
  if (size > 0)
    for await (const chunk of createReadStream(path, { end: size - 1 }) as AsyncIterable<Buffer>) {
      yield chunk
      sent += chunk.length
      onSent(chunk.length)
    }
  if (sent < size) throw new Error(`${path} became shorter while it was read`)
}

/** As browsers do it: https://html.spec.whatwg.org/#multipart-form-data */
const quoted = (filename: string): string =>
  filename.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')
