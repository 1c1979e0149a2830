import { UnreadableFile } from '@medialog/application/ports/understanding'
import { counted } from '@medialog/kernel'
import { decodeWords, type Headers } from '../mail/header.ts'
import { unflowed } from '../mail/flowed.ts'
import { parseMessage, type MimePart } from '../mail/message.ts'
import { line } from '../text/clean.ts'
import { decode } from '../text/encoding.ts'
import { Content } from './content.ts'
import { readEmbedded } from './embedded.ts'
import type { Extract } from './extractor.ts'
import { readHtml } from './html-text.ts'

/** Fields that are words of the message, in the order in which they are read. */
const FIELDS = ['From', 'To', 'Cc', 'Date']
const HEADER = /^(from|to|subject|date|received|message-id|mime-version|return-path|content-type)$/

/** E-mail (RFC 5322, MIME): subject, people and date, the text, and the attachments, read where their format is known. */
export const extract: Extract = async ({ bytes, format }) => {
  const message = parseMessage(bytes)
  if (![...message.headers.keys()].some((name) => HEADER.test(name)))
    throw new UnreadableFile('corrupted', 'The file does not begin with the header of a message.')
  refuseEncrypted(message)
  const content = new Content()
  if (!/\r?\n\r?\n/.test(Buffer.from(bytes).toString('latin1')))
    content.warn('The message ends with its header: the rest may be missing.')
  if (message.isUnclosed) content.warn('The message has no end of its last part: the rest may be missing.')
  const subject = decodeWords(message.headers.get('subject') ?? '')
  content.heading(subject, 1, 'message')
  content.paragraph(fieldsInWords(message.headers))
  const body = addBody(message, content)
  await addAttachments(attachmentsOf(message), content)
  if (content.end === 0) throw new UnreadableFile('corrupted', 'The message holds nothing.')
  return content.document(format, {
    title: subject,
    author: authorOf(message.headers),
    ...(body && { encoding: body }),
  })
}

function refuseEncrypted(part: MimePart): void {
  const enveloped = part.type.parameters.get('smime-type')?.toLowerCase() === 'enveloped-data'
  if (part.type.value === 'multipart/encrypted' || enveloped)
    throw new UnreadableFile('encrypted', 'The message is encrypted.')
}

function fieldsInWords(headers: Headers): string {
  const lines = FIELDS.map((name) => [name, decodeWords(headers.get(name.toLowerCase()) ?? '')])
  return lines.flatMap(([name, value]) => (value ? [`${name}: ${value}`] : [])).join('\n')
}

/** `Kim <kim@example.com>` → `Kim`; an address alone stays. */
function authorOf(headers: Headers): string | null {
  const from = decodeWords(headers.get('from') ?? '')
  const [, name] = /^\s*"?([^"<]*?)"?\s*<[^>]*>/.exec(from) ?? []
  return line(name || from)
}

/** Adds the text, or the HTML where there is no text. Returns the encoding of what was read first. */
function addBody(message: MimePart, content: Content): string | null {
  let encoding: string | null = null
  for (const part of bodiesOf(message)) {
    const decoded = decode(part.content, part.type.parameters.get('charset'))
    encoding ??= decoded.encoding
    if (decoded.unreadable > 0)
      content.warn(
        `${counted(decoded.unreadable, 'character')} could not be read in the encoding ${decoded.encoding}.`,
      )
    if (part.type.value === 'text/html') readHtml(decoded.text, content, { headings: false })
    else
      for (const paragraph of plainText(part, decoded.text).split(/(?:\r?\n[ \t]*){2,}/))
        content.paragraph(paragraph)
  }
  return encoding
}

function plainText({ type: { parameters } }: MimePart, text: string): string {
  const isFlowed = parameters.get('format')?.toLowerCase() === 'flowed'
  return isFlowed ? unflowed(text, parameters.get('delsp')?.toLowerCase() === 'yes') : text
}

/** Reports say why a message did not arrive, or when it was read (RFC 3464, RFC 8098). */
const BODIES = new Set([
  'text/plain',
  'text/html',
  'message/delivery-status',
  'message/disposition-notification',
])

const isBody = ({ type, attached, filename }: MimePart): boolean =>
  !attached && filename === null && BODIES.has(type.value)

/** The parts to be read, one of each set of alternatives: the plainest that says something. */
function bodiesOf(part: MimePart): MimePart[] {
  if (part.parts.length === 0) return isBody(part) ? [part] : []
  const bodies = part.parts.map(bodiesOf).filter((found) => found.length > 0)
  if (part.type.value !== 'multipart/alternative') return bodies.flat()
  const says = ({ content }: MimePart): boolean => content.toString('latin1').trim() !== ''
  return bodies.find((found) => found.some(says)) ?? []
}

function attachmentsOf(part: MimePart): MimePart[] {
  if (part.parts.length > 0) return part.parts.flatMap(attachmentsOf)
  const isEmpty = part.type.value.startsWith('multipart/') && part.content.length === 0
  return isEmpty || isBody(part) ? [] : [part]
}

async function addAttachments(attachments: readonly MimePart[], content: Content): Promise<void> {
  const named = attachments.map((part, index) => ({ part, name: nameOf(part, index + 1) }))
  if (named.length > 0) content.paragraph(`Attachments: ${named.map(({ name }) => name).join(', ')}`)
  for (const { part, name } of named) {
    if (part.type.value.startsWith('image/')) content.figureCount++
    if (content.full) return
    const bytes = new Uint8Array(part.content)
    await readEmbedded({ filename: name, bytes, mimeType: part.type.value }, content)
  }
}

function nameOf({ filename, type, content }: MimePart, number: number): string {
  const known = line(filename)
  if (known !== null) return known
  if (type.value !== 'message/rfc822') return `attachment ${number}`
  const subject = line(decodeWords(parseMessage(content).headers.get('subject') ?? ''))
  return `${subject ?? `message ${number}`}.eml`
}
