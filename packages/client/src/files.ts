import { fileAt } from '#platform'
import type { Content, FileSource, NamedContent } from './file-source.ts'
import { MedialogError } from './errors.ts'
import type { FilePart } from './platform/transport.ts'

/** @throws what opening a path throws */
export async function filePart(source: FileSource): Promise<FilePart> {
  if (typeof source === 'string' || source instanceof URL) return fileAt(source)
  const named: NamedContent = isContent(source) ? { name: nameOf(source), content: source } : source
  const { name, content, size = null } = named
  if (content instanceof Blob) return ofBlob(name, content)
  // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- in a browser's types, a Blob takes no shared memory
  if (content instanceof Uint8Array) return ofBlob(name, new Blob([content as Uint8Array<ArrayBuffer>]))
  const bytes = content instanceof ReadableStream ? chunksOf(content) : content
  return {
    name,
    size,
    isRepeatable: false,
    bytes: () => (size === null ? bytes : exactly(size, bytes, name)),
  }
}

const isContent = (source: Exclude<FileSource, string | URL>): source is Content =>
  source instanceof Blob ||
  source instanceof Uint8Array ||
  Symbol.asyncIterator in source ||
  (typeof ReadableStream === 'function' && source instanceof ReadableStream)

/** A `File` has one, and so has what Node reads from a path. */
function nameOf(content: Content): string {
  const { name, path } = content as { name?: unknown; path?: unknown }
  if (typeof name === 'string' && name !== '') return name
  return typeof path === 'string' ? path.replace(/^.*[/\\]/, '') : 'file'
}

const ofBlob = (name: string, blob: Blob): FilePart => ({
  name,
  size: blob.size,
  isRepeatable: true,
  bytes: () => chunksOf(blob.stream()),
  blob,
})

/** Not every browser lets a stream be iterated. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = stream.getReader()
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value
  } finally {
    await reader.cancel()
  }
}

/** A body has as many bytes as were announced: with fewer the service would wait for the rest. */
async function* exactly(
  size: number,
  bytes: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  let seen = 0
  for await (const chunk of bytes) {
    seen += chunk.byteLength
    if (seen > size) break
    yield chunk
  }
  if (seen !== size)
    throw new MedialogError(
      'UNREADABLE_FILE',
      `${name} has ${seen > size ? 'more' : 'fewer'} bytes than its size.`,
    )
}
