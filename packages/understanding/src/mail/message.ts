import { UnreadableFile } from '@medialog/application/ports/understanding'
import { parseHeaders, parseParameters, quotedPrintable, type Headers, type Parametrised } from './header.ts'

const DEEPEST = 50
const MOST_PARTS = 1000

/** A part of a message (RFC 2045): either its bytes, decoded, or the parts that it is made of. */
export interface MimePart {
  headers: Headers
  /** Media type and its parameters, `text/plain` where none is stated. */
  type: Parametrised
  /** Name under which it is attached, or null. */
  filename: string | null
  attached: boolean
  content: Buffer
  parts: MimePart[]
  /** Its last boundary is missing: it is cut off, or a program left that out. */
  isUnclosed: boolean
}

/**
 * Takes a message apart.
 * @throws UnreadableFile `corrupted` when it ends before its first part or in an attachment, `too-large` for parts without end
 */
export function parseMessage(bytes: Uint8Array): MimePart {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  return parsePart(text.replace(/^\s*(?:From [^\n]*\n)?/, ''), 'text/plain', { depth: 0, parts: 0 })
}

interface Count {
  depth: number
  parts: number
}

function parsePart(text: string, defaultType: string, count: Count): MimePart {
  if (count.depth > DEEPEST || ++count.parts > MOST_PARTS)
    throw new UnreadableFile('too-large', 'The message has more parts than are read.')
  const { headers, body } = parted(text)
  const stated = parseParameters(headers.get('content-type') ?? defaultType)
  // RFC 2045, 5.2: a type with only one half counts as this one.
  const type = stated.value.includes('/') ? stated : { ...stated, value: 'text/plain' }
  const disposition = parseParameters(headers.get('content-disposition') ?? '')
  const filename = disposition.parameters.get('filename') ?? type.parameters.get('name') ?? null
  const part = { headers, type, filename, attached: disposition.value === 'attachment' }
  const boundary = type.parameters.get('boundary')
  if (!type.value.startsWith('multipart/') || !boundary)
    return { ...part, content: transferred(headers, body), parts: [], isUnclosed: false }
  const inner = type.value === 'multipart/digest' ? 'message/rfc822' : 'text/plain'
  const deeper = { ...count, depth: count.depth + 1 }
  const { pieces, isUnclosed } = split(body, boundary)
  // One within another, under the same boundary: its parts are the other's.
  if (pieces.length === 0 && count.depth === 0)
    throw new UnreadableFile('corrupted', 'The message is damaged: it ends before its first part begins.')
  const parts = pieces.map((piece) => {
    const child = parsePart(piece, inner, deeper)
    count.parts = deeper.parts
    return child
  })
  return { ...part, content: Buffer.alloc(0), parts, isUnclosed }
}

/** A field and the lines that continue it (RFC 5322, 2.2). */
const FIELD = /^[!-9;-~]+[ \t]*:.*(?:\r?\n[ \t].*)*/gm

/** Header and body, with an empty line between them. Where that is missing the body begins behind the last field. */
function parted(text: string): { headers: Headers; body: string } {
  const gap = /^\r?\n|\r?\n\r?\n/.exec(text)
  const head = gap ? text.slice(0, gap.index) : text
  let end = 0
  for (const { 0: field, index } of head.matchAll(FIELD)) end = index + field.length
  const headers = parseHeaders(head.slice(0, end))
  if (head.slice(end).trim() !== '') return { headers, body: text.slice(end).replace(/^\r?\n/, '') }
  return { headers, body: gap ? text.slice(gap.index + gap[0].length) : '' }
}

/**
 * What is between the lines of a boundary (RFC 2046, 5.1.1). The end of the body ends the last part, too (5.1.2). Parts
 * may go on behind a last line, where a program has taken one boundary twice.
 */
function split(body: string, boundary: string): { pieces: string[]; isUnclosed: boolean } {
  const line = new RegExp(`(?:^|\\r?\\n)--${escaped(boundary)}(--)?[ \\t]*(?=\\r?\\n|$)`, 'g')
  const pieces: string[] = []
  let start: number | null = null
  for (const match of body.matchAll(line)) {
    if (start !== null) pieces.push(body.slice(start, match.index).replace(/^\r?\n/, ''))
    start = match[1] ? null : match.index + match[0].length
  }
  if (start === null) return { pieces, isUnclosed: false }
  const last = body.slice(start)
  // Base64 ends with padding: without it the part may be cut anywhere.
  if (BASE64.test(last) && !/=\s*$/.test(last))
    throw new UnreadableFile('corrupted', 'The message is damaged: it ends before its last part does.')
  pieces.push(last.replace(/^\r?\n/, ''))
  return { pieces, isUnclosed: true }
}

const BASE64 = /^content-transfer-encoding:\s*base64\s*$/im
const escaped = (text: string): string => text.replace(/[^\w\s]/g, '\\$&')

function transferred(headers: Headers, body: string): Buffer {
  switch (headers.get('content-transfer-encoding')?.toLowerCase()) {
    case 'base64':
      return Buffer.from(body, 'base64')
    case 'quoted-printable':
      return quotedPrintable(body)
    default:
      return Buffer.from(body, 'latin1')
  }
}
