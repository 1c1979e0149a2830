import type { Enrichment, Extraction } from '@medialog/application/ports'

/** A document of that text, other fields as given. */
export const extractionOf = (text: string, given: Partial<Extraction> = {}): Extraction => ({
  format: 'txt',
  mediaType: 'document',
  text,
  title: null,
  author: null,
  language: null,
  sections: [],
  tables: [],
  figureCount: 0,
  facts: { mediaType: 'document', pageCount: null, wordCount: text.split(/\s+/).filter(Boolean).length },
  truncated: false,
  warnings: [],
  ...given,
})

export const emptyEnrichment: Enrichment = {
  summary: '',
  description: '',
  topics: [],
  keywords: [],
  categories: [],
  emotions: [],
  entities: { people: [], organizations: [], locations: [], objects: [], concepts: [] },
  quality: { clarity: 0, completeness: 0, relevance: 0, technical: 0 },
  model: 'none',
}
