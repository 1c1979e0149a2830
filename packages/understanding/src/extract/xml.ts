import { UnreadableFile } from '@medialog/application/ports/understanding'
import { Parser } from 'htmlparser2'

const DEEPEST = 1000
const STEP = 65_536
/** The encoding that an XML declaration names. */
const DECLARED = /^<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/i
/** What may stand before a document type, and the type with all that it declares. */
const DOCTYPE =
  /^((?:\s|<\?(?:(?!\?>)[^])*\?>|<!--(?:(?!-->)[^])*-->)*)<!DOCTYPE(?:"[^"]*"|'[^']*'|\[(?:"[^"]*"|'[^']*'|<!--(?:(?!-->)[^])*-->|[^\]"'])*\]|[^>"'[])*>/

export type Attributes = Readonly<Record<string, string>>

export interface XmlHandler {
  open(name: string, attributes: Attributes): void
  close(name: string): void
  text(text: string): void
}

export const declaredEncoding = (bytes: Uint8Array): string | undefined =>
  DECLARED.exec(Buffer.from(bytes.subarray(0, 256)).toString('latin1'))?.[1]

/** `svg:rect` → `rect`. */
export const localName = (name: string): string => name.slice(name.indexOf(':') + 1)

/** An attribute by its name without a prefix, whatever prefix the file gives it. */
export const attribute = (attributes: Attributes, name: string): string | undefined =>
  attributes[name] ?? Object.entries(attributes).find(([key]) => localName(key) === name)?.[1]

/**
 * Walks over XML by its elements' local names. Events, not a tree: memory and stack do not grow with nesting. Entities
 * that a document type declares stay as they are written, and nothing that it names is loaded. Text may come in pieces.
 * @throws UnreadableFile `corrupted` where an element is left open at the end, `too-large` for very deep nesting
 */
export function walkXml(text: string, handler: XmlHandler): void {
  const xml = text.replace(DOCTYPE, '$1')
  let depth = 0
  let elements = 0
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        elements++
        if (++depth > DEEPEST)
          throw new UnreadableFile('too-large', `The file is nested deeper than ${DEEPEST} levels.`)
        handler.open(localName(name), attributes)
      },
      onclosetag(name) {
        depth--
        handler.close(localName(name))
      },
      ontext(text) {
        if (depth > 0) handler.text(text)
      },
    },
    { xmlMode: true, decodeEntities: true },
  )
  for (let at = 0; at < xml.length; at += STEP) parser.write(xml.slice(at, at + STEP))
  if (depth > 0 || elements === 0)
    throw new UnreadableFile('corrupted', 'The file is damaged: its XML ends before it is complete.')
  parser.end()
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

export const escapeXml = (text: string): string => text.replace(/[&<>"]/g, (sign) => ESCAPES[sign]!)
