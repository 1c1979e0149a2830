import type { BusboyInstance } from '@fastify/busboy'

/** RFC 8187's two character sets; in anything else, or badly escaped, the plain name stands. */
const EXTENDED_VALUE = /^(?:utf-8|iso-8859-1)'[\w-]*'(?:%[0-9a-f]{2}|[^%"'\s])+$/i
/** One parameter of a Content-Disposition: its name, and its value as it is written. */
const PARAMETER = /;\s*([^\s;="]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^;]*)/g

const PLAIN_NAME = /(;\s*filename\s*=\s*)("(?:[^"\\]|\\.)*")/gi

/**
 * The same Content-Disposition with one file name: the extended `filename*` wherever it stands, or without a usable one
 * the plain `filename` (RFC 6266, section 4.3).
 */
export function withOneFilename(disposition: string): string {
  if (!disposition.includes('*')) return withQuotes(disposition)
  const parameters = [...disposition.matchAll(PARAMETER)].map(([written, name, value]) => ({
    written,
    name: name!.toLowerCase(),
    value: value!.trim(),
  }))
  const usable = parameters.some(({ name, value }) => name === 'filename*' && EXTENDED_VALUE.test(value))
  const dropped = usable ? 'filename' : 'filename*'
  const type = disposition.slice(0, disposition.indexOf(';'))
  const kept = type + parameters.flatMap(({ name, written }) => (name === dropped ? [] : [written])).join('')
  return usable ? kept : withQuotes(kept)
}

/** A browser writes a quotation mark in a file's name as `%22` (HTML, 4.10.22.8). */
const withQuotes = (disposition: string): string =>
  disposition.replace(PLAIN_NAME, (_, name: string, value: string) => name + value.replaceAll('%22', '\\"'))

interface PartParser {
  prependListener(
    event: 'part',
    listener: (part: {
      on(event: 'header', listener: (header: { [name: string]: string[] }) => void): void
    }) => void,
  ): void
}

/** The form parser keeps the plain name and has no setting for it, so headers are put right on their way to it. */
export function preferExtendedFilename(parser: BusboyInstance): void {
  const { parser: parts } = (parser as unknown as { _parser: { parser: PartParser } })._parser
  parts.prependListener('part', (part) =>
    part.on('header', (header) => {
      const [disposition] = header['content-disposition'] ?? []
      if (disposition !== undefined) header['content-disposition'] = [withOneFilename(disposition)]
    }),
  )
}
