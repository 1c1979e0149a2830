import { UnreadableFile } from '@medialog/application/ports/understanding'
import { openCompoundFile, type CompoundFile } from '../ole/compound.ts'

/** Word 97's version of the file information block; older ones are laid out otherwise. */
const WORD_97 = 0xc1
const ENCRYPTED = 0x0100
const TABLE_1 = 0x0200

/** Offsets in the file information block (MS-DOC 2.5). */
const VERSION = 0x02
const FLAGS = 0x0a
const STORY_LENGTHS = 0x4c
const LOCATIONS = 0x9a

/** Which pair of place and length in the table stream says where something is. */
const LOCATION = { styles: 1, paragraphs: 13, properties: 31, pieces: 33 }

/** Where the document's properties have its pages (MS-DOC 2.7.3). */
const PAGES = 46

/** Lengths of the stories in characters, in the order in which they stand in the text. */
const STORIES = ['main', 'footnotes', 'headers', 'macros', 'comments', 'endnotes', 'textBoxes'] as const

export interface WordFile {
  /** The stream that holds text and formatting. */
  document: Buffer
  compound: CompoundFile
  stories: { name: (typeof STORIES)[number]; length: number }[]
  /** As the writer last counted them, or null. */
  pageCount: number | null
  /** A structure of the table stream; empty when there is none. */
  table(name: keyof typeof LOCATION): Buffer
}

/** Opens a Word document of version 97 to 2003. @throws UnreadableFile */
export function openWordFile(bytes: Uint8Array): WordFile {
  const compound = openCompoundFile(bytes)
  if (compound.has('EncryptedPackage')) throw encrypted()
  const document = compound.read('WordDocument')
  if (!document || document.length < 0x200)
    throw new UnreadableFile('corrupted', 'The file is damaged: it holds no Word document.')
  if (document.readUInt16LE(VERSION) < WORD_97)
    throw new UnreadableFile('corrupted', 'The document is of Word 95 or older, which is not read.')
  const flags = document.readUInt16LE(FLAGS)
  if (flags & ENCRYPTED) throw encrypted()
  const table = compound.read(flags & TABLE_1 ? '1Table' : '0Table')
  if (!table) throw new UnreadableFile('corrupted', 'The document is damaged: its tables are missing.')
  const structure: WordFile['table'] = (name) => {
    const at = LOCATIONS + 8 * LOCATION[name]
    const start = document.readUInt32LE(at)
    return table.subarray(start, start + document.readUInt32LE(at + 4))
  }
  return {
    document,
    compound,
    stories: STORIES.map((name, index) => ({
      name,
      length: document.readUInt32LE(STORY_LENGTHS + 4 * index),
    })),
    pageCount: pagesOf(structure('properties')),
    table: structure,
  }
}

function pagesOf(properties: Buffer): number | null {
  const pages = properties.length >= PAGES + 2 ? properties.readUInt16LE(PAGES) : 0
  return pages > 0 ? pages : null
}

const encrypted = (): UnreadableFile =>
  new UnreadableFile('encrypted', 'The document is protected with a password.')
