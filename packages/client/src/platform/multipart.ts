import type { Form } from './transport.ts'

export interface Multipart {
  contentType: string
  /** Of all bytes; null where the size of a file is not known. */
  length: number | null
  bytes: AsyncIterable<Uint8Array>
}

const LINE_END = '\r\n'

/** A multipart/form-data body that reads its files as it is sent: memory does not grow with them. */
export function multipart({ fields, files, onSent }: Form, boundary: string): Multipart {
  const encoder = new TextEncoder()
  const start = (disposition: string, more = '') =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n`
  const head = encoder.encode(
    fields.map(([name, value]) => `${start(`name="${quoted(name)}"`)}${value}${LINE_END}`).join(''),
  )
  const starts = files.map(({ name }) =>
    encoder.encode(
      start(`name="file"; filename="${quoted(name)}"`, 'Content-Type: application/octet-stream\r\n'),
    ),
  )
  const between = encoder.encode(LINE_END)
  const tail = encoder.encode(`--${boundary}--\r\n`)
  async function* bytes(): AsyncGenerator<Uint8Array> {
    let sent = 0
    yield head
    for (const [index, file] of files.entries()) {
      yield starts[index]!
      for await (const chunk of file.bytes()) {
        yield chunk
        sent += chunk.byteLength
        onSent(sent)
      }
      yield between
    }
    yield tail
  }
  let length: number | null = head.byteLength + tail.byteLength
  for (const [index, { size }] of files.entries())
    length =
      length === null || size === null ? null : length + starts[index]!.byteLength + size + between.byteLength
  return { contentType: `multipart/form-data; boundary=${boundary}`, length, bytes: bytes() }
}

/** As browsers do it: https://html.spec.whatwg.org/#multipart-form-data */
const quoted = (name: string): string =>
  name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')
