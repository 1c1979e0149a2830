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
 * A multipart/form-data body that reads the file as it is sent: memory does not grow with the file, and its length is
 * known beforehand. `onSent` is told the bytes of the file as they leave.
 */
export function multipart(
  fields: { readonly [name: string]: string | undefined },
  file: FilePart,
  onSent: (bytes: number) => void,
): Multipart {
  const boundary = `medialog-${randomBytes(18).toString('base64url')}`
  const head = [
    ...Object.entries(fields).flatMap(([name, value]) =>
      value === undefined
        ? []
        : [`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`],
    ),
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${quoted(file.filename)}"\r\n`,
    'Content-Type: application/octet-stream\r\n\r\n',
  ].join('')
  const tail = `\r\n--${boundary}--\r\n`
  return {
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(Buffer.byteLength(head) + file.size + Buffer.byteLength(tail)),
    },
    body: Readable.from(parts(head, file, tail, onSent), { objectMode: false }),
  }
}

async function* parts(head: string, { path, size }: FilePart, tail: string, onSent: (bytes: number) => void) {
  yield Buffer.from(head)
  let sent = 0
  if (size > 0)
    for await (const chunk of createReadStream(path, { end: size - 1 }) as AsyncIterable<Buffer>) {
      yield chunk
      sent += chunk.length
      onSent(chunk.length)
    }
  if (sent < size) throw new Error(`${path} became shorter while it was read`)
  yield Buffer.from(tail)
}

/** As browsers do it: https://html.spec.whatwg.org/#multipart-form-data */
const quoted = (filename: string): string =>
  filename.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')
