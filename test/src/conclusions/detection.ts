import { readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Understanding } from '@medialog/application/ports'
import { ROWS } from '../formats/rows.ts'

const FIXTURES = new URL('../../fixtures/', import.meta.url)

/** Language and encoding of the samples that have words; no language where a table or a list of names has none. */
const WORDS: Record<string, [language: string | null, encoding: string | null]> = {
  'documents/sample.pdf': ['en-US', null],
  'documents/sample.docx': ['en-US', null],
  'documents/sample.doc': ['en', null],
  'documents/sample.odt': ['en-US', null],
  'documents/sample.rtf': ['en', null],
  'documents/sample_cp949.rtf': ['ko', null],
  'documents/sample.txt': ['en', 'utf-8'],
  'documents/sample_cp949.txt': ['en', 'euc-kr'],
  'documents/sample_utf16le.txt': ['en', 'utf-16le'],
  'documents/sample.md': ['en', 'utf-8'],
  'data/sample.html': ['en', 'utf-8'],
  'data/sample_euckr.html': ['en', 'euc-kr'],
  'data/sample.hml': ['ko', 'utf-8'],
  'data/sample.xml': [null, 'utf-8'],
  'data/sample.json': [null, 'utf-8'],
  'mail_ebook/sample.epub': ['ko', null],
  'mail_ebook/sample.eml': ['en', 'utf-8'],
  'mail_ebook/sample_euckr.eml': ['ko', 'euc-kr'],
  'presentation/sample.pptx': ['en-US', null],
  'presentation/sample.odp': ['en-US', null],
  'spreadsheet/sample.csv': [null, 'utf-8'],
  'spreadsheet/sample.tsv': [null, 'utf-8'],
  'spreadsheet/sample_euckr_semicolon.csv': ['ko', 'euc-kr'],
  'demo/galloping-gertie.txt': ['en', 'utf-8'],
  'demo/hangul.md': ['en', 'utf-8'],
  'demo/kimchi.txt': ['en', 'utf-8'],
  'demo/whales-asleep.md': ['en', 'utf-8'],
}

export interface Detected {
  path: string
  told: (string | null)[]
  right: (string | null)[]
}

const sourceOf = (understanding: Understanding, name: string) => {
  const path = fileURLToPath(new URL(name, FIXTURES))
  const filename = name.split('/').at(-1)!
  const format = understanding.identify(filename, readFileSync(path).subarray(0, 8192))
  return { path, filename, size: statSync(path).size, format }
}

/** The type of every sample, and language and encoding of those with words, as told and as they are. */
export async function detections(understanding: Understanding): Promise<Detected[]> {
  const types = Object.entries(ROWS).flatMap(([name, { samples }]) =>
    Object.keys(samples).map((path) => ({
      path,
      told: [sourceOf(understanding, path).format.name],
      right: [name],
    })),
  )
  const words = await Promise.all(
    Object.entries(WORDS).map(async ([path, right]) => {
      const { extraction } = await understanding.read(sourceOf(understanding, path), {})
      const encoding = 'encoding' in extraction.facts ? extraction.facts.encoding : null
      return { path, told: [extraction.language, encoding ?? null], right }
    }),
  )
  return [...types, ...words]
}
