import type { CatalogChange } from '@medialog/application/ports'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { termOf } from '../analysis/term.ts'
import { ONE } from '../search/fixed-point.ts'
import { featureLabel } from '../search/labels.ts'
import { put, type ItemSketch } from './items.ts'

type Put = Extract<CatalogChange, { type: 'PutItem' }>

/** `<000012.text>`: in texts and JSON as it is, in vectors because their numbers are chosen so. */
const mark = (ingest: number, where: string): string => `<${`${ingest}`.padStart(6, '0')}.${where}>`
const MARK = /<(\d{6})\.(\w+)>/g
/** The same in 32-bit floats: three characters in each, below an exponent that makes it a small number. */
const FLOATS_MARK = /<(\d\d)=(\d{3})=(\d)\.(\w)=(\w\w)>=/g

const DIMENSIONS = 32

/** An item every derived part of which tells, wherever its bytes are, of which ingest it is. A size for each chunk. */
export function markedPut(
  ingest: number,
  sketch: ItemSketch,
  sizes: readonly number[],
  dimensions = DIMENSIONS,
): Put {
  const chunks = sizes.map((size, ordinal) => filled(`항é${mark(ingest, `chunk${ordinal}`)} `, size))
  const vectors = sizes.map(() => markedVector(ingest, 'chv', dimensions))
  const change = put({ ...sketch, chunks, vectors, keywords: [keyword(ingest), mark(ingest, 'keyword')] })
  change.item.filename = `é${mark(ingest, 'filename')}.txt`
  change.item.enrichment.summary = filled(`${mark(ingest, 'summary')} 항 `, sizes[0]! / 2)
  change.content.text = filled(`항${mark(ingest, 'text')} `, 3 * sizes.at(-1)!)
  change.vectors.combined = markedVector(ingest, 'com', dimensions)
  change.vectors.short = markedVector(ingest, 'sho', DIMENSIONS)
  return change
}

const keyword = (ingest: number): string => `keyword${ingest}`
const filled = (text: string, size: number): string => text.repeat(1 + size / text.length)

/** Its bytes hold the mark, and another one once the numbers are 16 bits in fixed point. */
function markedVector(ingest: number, where: string, dimensions: number): Float32Array {
  const floats = Buffer.from(mark(ingest, where).replace(/.../g, '$&='))
  const fixed = Buffer.from(mark(ingest, 'fix'))
  return Float32Array.from({ length: dimensions }, (_, index) => {
    if (index < 4) return floats.readFloatLE(4 * index)
    return index < 10 ? fixed.readInt16LE(2 * (index - 4)) / ONE : 0
  })
}

const WHERES = ['text', 'filename', 'keyword', 'summary', 'chv', 'com', 'sho', 'fix', 'term']

/** The marks that files hold of an ingest that is there. */
export const marksOf = (ingest: number, chunks: number): string[] =>
  [...WHERES, ...Array.from({ length: chunks }, (_, ordinal) => `chunk${ordinal}`)].sort()

/** Of which ingests below `ingests` there is anything in the folder's files: the marks found of each. */
export function marksIn(folder: string, ingests: number): Map<number, Set<string>> {
  const found = new Map<number, Set<string>>()
  const see = (ingest: number, where: string) => {
    if (!found.has(ingest)) found.set(ingest, new Set())
    found.get(ingest)!.add(where)
  }
  for (const file of readdirSync(folder)) {
    const bytes = readFileSync(join(folder, file))
    const text = bytes.toString('latin1')
    for (const [, ingest, where] of text.matchAll(MARK)) see(Number(ingest), where!)
    for (const [, a, b, c, d, e] of text.matchAll(FLOATS_MARK)) see(Number(`${a}${b}${c}`), `${d}${e}`)
    for (const ingest of keywordsIn(bytes, ingests)) see(ingest, 'term')
  }
  return found
}

/** Keywords are kept as hashes, too. */
function keywordsIn(bytes: Buffer, ingests: number): number[] {
  const terms = Array.from({ length: ingests }, (_, ingest) => termOf(featureLabel(keyword(ingest))))
  const byLow = new Map(terms.map(({ low }, ingest) => [low, ingest]))
  const found: number[] = []
  for (let at = 0; at + 8 <= bytes.length; at++) {
    const ingest = byLow.get(bytes.readUInt32LE(at))
    if (ingest !== undefined && bytes.readUInt32LE(at + 4) === terms[ingest]!.high) found.push(ingest)
  }
  return found
}
