import type { Enricher, Enrichment, Extraction, WorkOptions } from '@medialog/application/ports'
import type { LanguageModel } from 'ai'
import { z } from 'zod'
import { names, prose } from './bounded.ts'
import { ProviderUnavailable } from './failure.ts'
import type { ProviderLine } from './line.ts'
import { estimatedTokens, excerpt, Material } from './prompt.ts'
import { structured } from './structured.ts'

const Concluded = z.object({
  summary: prose(600),
  description: prose(1_000),
  topics: names(5, 60),
  entities: z.object({
    people: names(20),
    organizations: names(20),
    locations: names(20),
    objects: names(12),
    concepts: names(6),
  }),
})

/** With room for a model that thinks first. */
const MOST_OUTPUT_TOKENS = 4_000
/** More of a text makes no better summary of it. */
const TEXT_TOKENS = 8_000

export interface EnricherOptions {
  line: ProviderLine
  model: LanguageModel
  contextTokens: number
  /** Makes what the provider does not, and all of it where that gives nothing. Belongs to this one, which closes it. */
  offline: Enricher
  onFallback: (failure: ProviderUnavailable) => void
}

/**
 * Summary, description, topics and entities by a model of a provider; keywords, categories, emotions and quality stay
 * those of the offline method. A file without words is not sent.
 */
export function createProviderEnricher(options: EnricherOptions): Enricher {
  const { line, offline, onFallback } = options
  return {
    async enrich(extraction, filename, work = {}) {
      const concluded = await offline.enrich(extraction, filename, work)
      if (!hasWords(extraction)) return concluded
      try {
        const written = await ask(options, extraction, filename, concluded, work)
        return { ...concluded, ...written, model: `${line.model} + ${concluded.model}` }
      } catch (error) {
        if (!(error instanceof ProviderUnavailable)) throw error
        onFallback(error)
        const warning = `Summary, topics and entities were made offline. ${error.message}`
        return { ...concluded, warnings: [...(concluded.warnings ?? []), warning] }
      }
    },
    close: () => offline.close(),
  }
}

const hasWords = ({ text, facts }: Extraction): boolean =>
  text !== '' || (facts.mediaType === 'image' && facts.seen !== undefined)

function ask(
  { line, model, contextTokens }: EnricherOptions,
  { text }: Extraction,
  filename: string,
  { description }: Enrichment,
  work: WorkOptions,
): Promise<z.output<typeof Concluded>> {
  const material = new Material()
  const instructions = [
    'You describe one file for a catalogue.',
    material.rule,
    'summary: what the file says, in up to three sentences. description: what kind of file it is and what it is about, in ' +
      'up to three sentences. topics: up to five, each of one to three words. entities: names as the file writes them, ' +
      'each once; objects are things that it is about, concepts are ideas. Write in the language of the file. What the ' +
      'file does not tell is left empty, never made up.',
  ].join('\n\n')
  const content = [
    material.wrap(filename, 'file name'),
    material.wrap(description, 'what is known of the file'),
    ...(text === ''
      ? []
      : [material.wrap(excerpt(text, Math.min(contextTokens, TEXT_TOKENS)), 'text of the file')]),
  ].join('\n\n')
  const messages = [{ role: 'user' as const, content }]
  return line.call(
    estimatedTokens(instructions + content) + MOST_OUTPUT_TOKENS,
    (within) =>
      structured(
        model,
        { instructions, messages, schema: Concluded, maxOutputTokens: MOST_OUTPUT_TOKENS },
        within,
      ),
    work,
  )
}
