import { posix } from 'node:path'
import { UnreadableFile } from '@medialog/application/ports/understanding'
import type { Parts } from '../archive/parts.ts'
import { decode } from '../text/encoding.ts'
import { readXml } from './xml-reader.ts'

const COMPOUND_FILE = 'd0cf11e0a1b11ae1'
const ENCRYPTED_PACKAGE = Buffer.from('EncryptedPackage', 'utf16le')

/**
 * With a password, Office wraps the zip into an OLE compound file (MS-OFFCRYPTO 2.3).
 * @throws UnreadableFile for any compound file
 */
export function refuseCompoundFile(bytes: Uint8Array): void {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (file.toString('hex', 0, 8) !== COMPOUND_FILE) return
  if (file.includes(ENCRYPTED_PACKAGE))
    throw new UnreadableFile('encrypted', 'The document is protected with a password.')
  throw new UnreadableFile('corrupted', 'The file is an OLE compound file, not the document its name says.')
}

/** The text of an XML part. @throws UnreadableFile `corrupted` when it is missing */
export async function xmlPart(parts: Parts, name: string): Promise<string> {
  const part = await parts.read(name)
  if (!part) throw new UnreadableFile('corrupted', `The document is damaged: its part ${name} is missing.`)
  return decode(part).text
}

export interface Relationship {
  /** The last word of its type, e.g. `slide`, `notesSlide`. */
  type: string
  /** A path inside the archive. */
  target: string
}

/** What a part refers to, by id (ECMA-376 part 2, 9.3); empty for a part that refers to nothing. */
export async function relationshipsOf(parts: Parts, name: string): Promise<Map<string, Relationship>> {
  const found = new Map<string, Relationship>()
  const folder = posix.dirname(name)
  const list = await parts.read(posix.join(folder, '_rels', `${posix.basename(name)}.rels`))
  if (!list) return found
  readXml(decode(list).text, {
    open(_, { Id, Type = '', Target = '', TargetMode }) {
      if (!Id || TargetMode === 'External') return
      const target = Target.startsWith('/') ? Target.slice(1) : posix.join(folder, Target)
      found.set(Id, { type: posix.basename(Type), target })
    },
  })
  return found
}

/** By their ids. */
export type Relationships = ReadonlyMap<string, Relationship>

/** What the package itself refers to. */
const ofPackage = (parts: Parts): Promise<Relationships> => relationshipsOf(parts, '')

/** The name of the part of that type that is referred to first, or null. */
export function targetOf(relationships: Relationships, type: string): string | null {
  for (const one of relationships.values()) if (one.type === type) return one.target
  return null
}

/** The package says which part is the main one (ECMA-376 part 2, 9.3); `usual` where it does not. */
export const mainPartOf = async (parts: Parts, usual: string): Promise<string> =>
  targetOf(await ofPackage(parts), 'officeDocument') ?? usual

/** The text of the part of that type that is referred to first, else of the one that is called `usual`; null for none. */
export async function xmlPartOf(
  parts: Parts,
  relationships: Relationships,
  type: string,
  usual: string,
): Promise<string | null> {
  const part = await parts.read(targetOf(relationships, type) ?? usual)
  return part && decode(part).text
}

interface Properties {
  title: string
  author: string
  language: string
  /** Null where the document states none. */
  pageCount: number | null
}

/** The document's properties, as its package has them (ECMA-376 part 1, 15.2.12). */
export async function propertiesOf(parts: Parts): Promise<Properties> {
  const relationships = await ofPackage(parts)
  const of = async (type: string, usual: string) =>
    firstWords(await xmlPartOf(parts, relationships, type, usual))
  const core = await of('core-properties', 'docProps/core.xml')
  const extended = await of('extended-properties', 'docProps/app.xml')
  const pages = Number(extended.get('Pages') ?? 0)
  return {
    title: core.get('title') ?? '',
    author: core.get('creator') ?? '',
    language: core.get('language') ?? '',
    pageCount: pages > 0 ? pages : null,
  }
}

/** By the names of a part's elements, the words of the first of each that has some. */
function firstWords(xml: string | null): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  let words = ''
  if (xml !== null)
    readXml(xml, {
      open: () => void (words = ''),
      text: (piece) => (words += piece),
      close(name) {
        if (words !== '' && !found.has(name)) found.set(name, words)
      },
    })
  return found
}

/** The language of a Word document's text unless a run says otherwise, by its styles. */
export function languageOfStyles(styles: string | null): string {
  let stated = ''
  if (styles !== null)
    readXml(styles, {
      // The first is that of the defaults (ECMA-376 part 1, 17.7.5).
      open: (name, attributes) => void (name === 'lang' && (stated ||= attributes['w:val'] ?? '')),
      full: () => stated !== '',
    })
  return stated
}
