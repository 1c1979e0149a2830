import {
  NO_ANSWER,
  type Enricher,
  type Enrichment,
  type Extraction,
  type LanguageModel,
} from '@medialog/application/ports'

/** Offline methods that say nothing but that it was they. */
export const offlineModel = (): LanguageModel => ({
  model: 'offline-1',
  disclaimer: 'Made offline.',
  countTokens: async (texts) => texts.map((text) => text.split(/\s+/).filter(Boolean).length),
  async *answer() {
    yield { type: 'text', text: NO_ANSWER }
    yield { type: 'end', cited: [], answered: false, outputTokens: 8 }
  },
  analyze: async () => ({
    summary: 'offline',
    keyElements: [],
    relevantDetails: '',
    mainResponse: NO_ANSWER,
    insights: [],
    additionalConsiderations: 'Made offline.',
  }),
  close: async () => {},
})

export const ENRICHED: Enrichment = {
  summary: 'offline',
  description: 'A text file.',
  topics: ['offline'],
  keywords: ['word'],
  categories: ['document'],
  emotions: ['calm'],
  entities: { people: [], organizations: [], locations: [], objects: [], concepts: [] },
  quality: { clarity: 1, completeness: 1, relevance: 1, technical: 1 },
  model: 'offline-1',
}

export const offlineEnricher = (): Enricher => ({
  enrich: async () => ENRICHED,
  close: async () => {},
})

export const extractionOf = (text: string, facts?: Extraction['facts']): Extraction => ({
  format: 'txt',
  mediaType: facts?.mediaType ?? 'document',
  text,
  title: null,
  author: null,
  language: null,
  sections: [],
  tables: [],
  figureCount: 0,
  facts: facts ?? { mediaType: 'document', pageCount: null, wordCount: 1 },
  truncated: false,
  warnings: [],
})
