import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Extraction } from '@medialog/application/ports'
import { model, pdfPages, pdfText, picture, sound } from './programs.ts'

/** What differs, for people; null where both say the same. Undefined where there is nothing to compare with. */
export type Outcome = string | null | undefined

type Comparison = (path: string, extraction: Extraction) => Promise<Outcome>

/** Programs break lines, hyphens and tables otherwise. */
const LEAST_WORDS = 0.95
/** Of a book beside the pages of the same manual, which have running heads, an index and numbers of pages. */
const LEAST_OF_BOOK = 0.9
const LEAST_ON_PAGE = 200
const CLOSE = 0.01

const ofPdf: Comparison = async (path, { text, truncated, facts }) => {
  const pages = await pdfPages(path)
  if (facts.mediaType !== 'document' || facts.pageCount !== pages) return `pdfinfo counts ${pages} pages`
  const [ours, theirs] = [wordsIn(text), wordsIn(await pdfText(path))]
  return shareMissing('pdftotext', truncated ? theirs.slice(0, ours.length) : theirs, ours, LEAST_WORDS)
}

/** Compared with the PDF of the same manual in the same folder. */
const ofEpub: Comparison = async (path, { text, truncated }) => {
  const other = await pdfText(path.replace(/\.epub$/, '.pdf')).catch(() => null)
  if (other === null) return undefined
  const [ours, theirs] = [wordsIn(text), wordsIn(other)]
  // Fonts of some of these PDFs do not say which characters they have.
  if (theirs.length < ours.length / 2) return undefined
  return shareMissing('the PDF', truncated ? theirs.slice(0, ours.length) : theirs, ours, LEAST_OF_BOOK)
}

/** A chapter of a manual, whose PDF lies in the same folder. */
const ofHtml: Comparison = async (path, { text }) => {
  const beside = (await readdir(dirname(path))).find((name) => name.endsWith('.pdf'))
  const [page, manual] = [wordsIn(text), beside ? wordsIn(await pdfText(join(dirname(path), beside))) : []]
  // Pages of an index, and PDFs whose fonts do not say which characters they have.
  if (page.length < LEAST_ON_PAGE || manual.length < page.length) return undefined
  return shareMissing('the page, in the PDF', page, manual, LEAST_OF_BOOK)
}

const ofSound: Comparison = async (path, { facts }) => {
  const theirs = await sound(path)
  if (facts.mediaType !== 'audio') return 'it is no sound'
  const { duration, sampleRate, channels } = facts
  const isSame = Math.abs(duration - theirs.duration) < CLOSE && sampleRate === theirs.sampleRate
  return isSame && channels === theirs.channels ? null : `ogginfo says ${JSON.stringify(theirs)}`
}

const ofPicture: Comparison = async (path, { facts }) => {
  const { width, height } = await picture(path)
  if (facts.mediaType !== 'image') return 'it is no picture'
  return facts.width === width && facts.height === height ? null : `exiftool says ${width} × ${height}`
}

const ofModel: Comparison = async (path, { facts }) => {
  const theirs = await model(path)
  if (theirs === null) return undefined
  if (facts.mediaType !== 'model') return 'it is no model'
  if (facts.triangleCount !== theirs.triangles)
    return `assimp counts ${theirs.triangles} triangles in place of ${facts.triangleCount}`
  const [ours, others] = [shapeOf(Object.values(facts.dimensions)), shapeOf(theirs.dimensions)]
  const isClose = ours.every((size, axis) => Math.abs(size - others[axis]!) <= CLOSE)
  return isClose ? null : `assimp measures ${others.join(' × ')} in place of ${ours.join(' × ')}`
}

/** Sizes relative to the largest, in their order: assimp turns the axis that points up, and converts units. */
const shapeOf = (sizes: readonly number[]): number[] =>
  sizes.map((size) => Number((size / Math.max(...sizes)).toFixed(3))).sort((a, b) => a - b)

/** By how a file's name ends. */
export const COMPARISONS: Record<string, Comparison> = {
  pdf: ofPdf,
  epub: ofEpub,
  html: ofHtml,
  oga: ofSound,
  ...Object.fromEntries(['jpg', 'png', 'webp'].map((ending) => [ending, ofPicture])),
  ...Object.fromEntries(['dae', 'fbx', 'glb', 'obj', 'ply', 'stl'].map((ending) => [ending, ofModel])),
}

/** Words of three letters and more, and each character of a script without spaces. */
const wordsIn = (text: string): string[] =>
  text
    .normalize('NFKC')
    .replace(/[-\u00ad]\n\s*/g, '')
    .toLowerCase()
    .match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|[\p{sc=Latin}\p{sc=Cyrillic}]{3,}/gu) ?? []

/** Null where enough of the words of another program are among ours, each as often as it has it. */
function shareMissing(who: string, theirs: string[], ours: string[], least: number): string | null {
  const counts = new Map<string, number>()
  for (const word of ours) counts.set(word, (counts.get(word) ?? 0) + 1)
  const found = theirs.filter((word) => {
    const left = counts.get(word) ?? 0
    if (left > 0) counts.set(word, left - 1)
    return left > 0
  })
  const share = found.length / theirs.length
  return share >= least ? null : `${(100 * share).toFixed(1)} % of the ${theirs.length} words of ${who}`
}
