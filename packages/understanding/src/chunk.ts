import type { Chunk, Enrichment, Extraction, Section } from '@medialog/application/ports'
import { passages } from './enrich/passages.ts'
import { headText } from './enrich/head.ts'

/**
 * Cuts an item into what is embedded and found: chunk 0 is its head (file name, title, keywords, a medium's facts,
 * see enrich/head.ts), the others are passages of its text, in reading order, overlapping by a sentence or two.
 * Linear in the text's length.
 */
export const chunk = (extraction: Extraction, enrichment: Enrichment, filename: string): Chunk[] => [
  headChunk(extraction, enrichment, filename),
  ...bodyChunks(extraction),
]

/** The passages alone: needs only what was read, so it can be made where the file was read. */
export const bodyChunks = (extraction: {
  text: string
  sections: readonly Pick<Section, 'start'>[]
}): Chunk[] =>
  passages(
    extraction.text,
    extraction.sections.map((section) => section.start),
  ).map(({ start, end }) => ({ text: extraction.text.slice(start, end), start, end }))

/** The item's head as a chunk: at most 200 tokens, standing nowhere in the text. */
export const headChunk = (extraction: Extraction, enrichment: Enrichment, filename: string): Chunk => ({
  text: headText(extraction, enrichment, filename),
  start: 0,
  end: 0,
})
