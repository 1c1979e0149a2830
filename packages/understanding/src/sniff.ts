import { UnreadableFile, UnsupportedFileType, type Format } from '@medialog/application/ports/understanding'
import { asFormat, FORMATS, type FormatRow } from './formats.ts'
import { isCompoundFile, judge, readHead, type Head } from './signature.ts'

/**
 * Tells a file's format from its first bytes (8 KiB, or all of a shorter file), then from its extension: bytes that
 * name a format win over any name; bytes that fit several (text, a zip whose parts are out of sight) leave the choice
 * to the extension; an extension never overrules bytes that contradict it. Where the extension is unknown or contradicted,
 * a media type that is stated counts instead: text of any kind is text.
 * @throws UnreadableFile `corrupted` for an empty file
 * @throws UnsupportedFileType
 */
export function identify(filename: string, bytes: Uint8Array, mimeType = ''): Format {
  if (bytes.length === 0) throw new UnreadableFile('corrupted', 'The file is empty.')
  const head = readHead(bytes)
  const byName = byExtension(filename)
  const verdicts = FORMATS.map((row) => ({ row, verdict: judge(row.signature, head) }))
  const certain = verdicts.filter(({ verdict }) => verdict === 'certain').map(({ row }) => row)
  const possible = verdicts.filter(({ verdict }) => verdict !== 'no').map(({ row }) => row)
  const named = [byName, byMimeType(mimeType)]
  const namedOf = (rows: readonly FormatRow[]) => named.find((row) => row && rows.includes(row))
  const row = namedOf(certain) ?? certain[0] ?? namedOf(possible)
  if (!row) throw new UnsupportedFileType(filename, refusal(filename, byName, head))
  return asFormat(row)
}

const byExtension = (filename: string): FormatRow | undefined =>
  FORMATS.find(({ extensions }) => extensions.includes(extensionOf(filename)))

const byMimeType = (mimeType: string): FormatRow | undefined =>
  FORMATS.find((row) => row.mimeType === mimeType) ??
  (mimeType.startsWith('text/') ? FORMATS.find((row) => row.mimeType === 'text/plain') : undefined)

const extensionOf = (filename: string): string => /\.([^.]+)$/.exec(filename)?.[1]?.toLowerCase() ?? ''

function refusal(filename: string, named: FormatRow | undefined, head: Head): string {
  const content = describe(head)
  if (named) return `The file is named .${extensionOf(filename)}, but its content is ${content}.`
  const extension = extensionOf(filename)
  return extension
    ? `Files of type .${extension} are not supported; the content is ${content}.`
    : `The file has no extension that tells its type; the content is ${content}.`
}

function describe(head: Head): string {
  if (head.text !== null) return 'plain text'
  if (head.parts) return 'a zip archive of another kind'
  return isCompoundFile(head) ? 'an OLE compound file' : 'of no known type'
}
