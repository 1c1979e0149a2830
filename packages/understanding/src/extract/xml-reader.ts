import { UnreadableFile } from '@medialog/application/ports/understanding'
import { SaxesParser } from 'saxes'

const DEEPEST = 1000
const STEP = 65_536
const DECLARED_ENCODING = /^[^<]*<\?xml[^>]*?\bencoding\s*=\s*["']([\w.:-]+)/

export interface XmlEvents {
  /** Names are local ones: without the prefix of their namespace, which `qualified` has. */
  open?(name: string, attributes: Readonly<Record<string, string>>, qualified: string): void
  close?(name: string): void
  /** Character data and CDATA. A run of text may come in pieces. */
  text?(text: string): void
  /** Once true, the rest is not read. */
  full?(): boolean
}

/** The encoding that the first bytes of an XML file declare. */
export const declaredEncoding = (bytes: Uint8Array): string | undefined =>
  DECLARED_ENCODING.exec(Buffer.from(bytes.subarray(0, 1024)).toString('latin1'))?.[1]

/**
 * Walks over XML. Nothing is fetched and no entity that a document type defines is expanded: a reference to one stays as
 * it is written.
 * @throws UnreadableFile `corrupted` for XML that is not well-formed, `too-large` for deep nesting
 */
export function readXml(xml: string, events: XmlEvents): void {
  const parser = new SaxesParser({ xmlns: false, position: true })
  let depth = 0
  parser.on('doctype', () => {
    parser.ENTITIES = new Proxy(parser.ENTITIES, {
      get: (known, name: string) => known[name] ?? `&${name};`,
    })
  })
  parser.on('opentag', ({ name, attributes }) => {
    if (++depth > DEEPEST)
      throw new UnreadableFile('too-large', `The XML is nested deeper than ${DEEPEST} levels.`)
    events.open?.(local(name), attributes, name)
  })
  parser.on('closetag', ({ name }) => {
    depth--
    events.close?.(local(name))
  })
  parser.on('text', (text) => events.text?.(text))
  parser.on('cdata', (text) => events.text?.(text))
  parser.on('error', () => {
    throw new UnreadableFile('corrupted', `The XML is not well-formed (line ${parser.line}).`)
  })
  for (let at = 0; at < xml.length; at += STEP) {
    if (events.full?.()) return
    parser.write(xml.slice(at, at + STEP))
  }
  parser.close()
}

const local = (name: string): string => name.slice(name.indexOf(':') + 1)
