import type { Embedder, Enricher, Enrichment, Extraction, WorkOptions } from '@medialog/application/ports'
import type { Analysis, AnalysisRequest } from './analyse.ts'
import { distinct } from './distinct.ts'
import { factsInWords } from './facts.ts'
import { mediaKeywords, wordsAbout } from './media-words.ts'
import { meaningOf, type Meaning } from './meaning.ts'
import { TaskLost, Threads } from '../threads.ts'
import type { Phrase } from './phrases.ts'
import { qualityOf } from './quality.ts'
import { shortened } from './sentences.ts'
import { subjectVectors } from './topics.ts'

const MODEL = 'medialog-offline-3'
const KEYWORDS = 10
const CONCEPTS = 6
const SUMMARY_LENGTH = 600
const DESCRIPTION_LENGTH = 1_000
/** In UTF-16 code units: a longer one names nothing that a reader would look for. */
const LONGEST_NAME = 100
const NOT_ANALYSED = 'The text could not be analysed: it has no summary, keywords or names of its own.'
const NOTHING: AnalysisRequest = { text: '', language: null, titles: [] }
/** More than are ever read at a time. */
const MOST_UNDER_WAY = 1_000
const MOST_OF_ONE = 500
/** A text takes at most about 200 ms on an idle machine. */
const DEADLINE_MS = 30_000
/** The second is for another account than the first works for. */
const THREADS = 2
/** Content words from which on a text says by itself what it is about. */
const PROSE_WORDS = 20

/**
 * Enrichment without a network: grammar and counts in worker threads that end after 15 s without work, meaning by
 * the embedder (at most 16 sentences and 24 phrases a file). The same input gives the same output; English texts get
 * all of it, others a summary and keywords. Without the embedder (EngineUnavailable) meaning is left out.
 */
export function createOfflineEnricher({
  embedder,
  module = new URL('./analyse.ts', import.meta.url),
}: {
  embedder: Embedder
  /** What runs in the thread. */
  module?: URL
}): Enricher {
  const analysts = new Threads<AnalysisRequest, Analysis>({
    name: 'analysis',
    module,
    engine: 'enrichment',
    task: 'text',
    pool: {
      maxThreads: THREADS,
      resourceLimits: { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 160 },
    },
    mostUnderWay: MOST_UNDER_WAY,
    mostOfOne: MOST_OF_ONE,
    atWorkOfOne: 1,
    spare: NOTHING,
    deadlineMs: DEADLINE_MS,
  })
  const subjects = subjectVectors(embedder)

  /** A text that its thread is lost over is known by its facts alone: it would be the same with every try. */
  async function analysed(
    request: AnalysisRequest,
    options: WorkOptions,
  ): Promise<{ analysis: Analysis; warnings?: string[] }> {
    const run = (task: AnalysisRequest): Promise<Analysis> => analysts.run(() => ({ task }), options)
    try {
      return { analysis: await run(request) }
    } catch (error) {
      if (!(error instanceof TaskLost)) throw error
      return { analysis: await run(NOTHING), warnings: [NOT_ANALYSED] }
    }
  }

  return {
    async enrich(extraction, filename, options = {}) {
      const prose = proseOf(extraction)
      const text = extraction.mediaType === 'document' ? prose : prose || wordsAbout(extraction, filename)
      const titles = [extraction.title ?? '', ...extraction.sections.map(({ title }) => title)].filter(
        Boolean,
      )
      const request = extraction.text
        ? { text, language: extraction.language, titles: [...new Set(titles)] }
        : { ...NOTHING, text }
      const { analysis, warnings } = await analysed(request, options)
      const title = extraction.text ? extraction.title : null
      const isProse = extraction.text && analysis.words >= PROSE_WORDS && analysis.central.length > 0
      const kind = isProse ? 'text' : 'names'
      const meaning = await meaningOf(embedder, subjects, analysis, { text, title }, kind, options)
      return { ...concluded(extraction, filename, analysis, meaning), ...(warnings && { warnings }) }
    },
    close: () => analysts.close(),
  }
}

/** The text without listings of code; all of it where nothing else is said. */
function proseOf({ text, listings = [] }: Extraction): string {
  let prose = ''
  let from = 0
  for (const { start, end } of listings) {
    prose += text.slice(from, start)
    from = end
  }
  prose += text.slice(from)
  return /\p{L}/u.test(prose) ? prose : text
}

function concluded(
  extraction: Extraction,
  filename: string,
  analysis: Analysis,
  meaning: Meaning,
): Enrichment {
  const facts = factsInWords(extraction)
  const named = extraction.text ? keywordsOf(meaning.phrases) : mediaKeywords(extraction, filename, KEYWORDS)
  const topics = meaning.subjects.map(({ subject }) => subject.topic)
  return {
    summary: summaryOf(extraction, facts, analysis, meaning),
    description: shortened(describe(facts, topics, named), DESCRIPTION_LENGTH),
    topics,
    keywords: named,
    categories: [
      ...new Set([
        extraction.mediaType as string,
        ...meaning.subjects.slice(0, 2).map((s) => s.subject.category),
      ]),
    ],
    emotions: extraction.text ? analysis.emotions : [],
    entities: withoutBlobs(entities(extraction, analysis, meaning)),
    quality: qualityOf(extraction, analysis, meaning.coherence),
    model: MODEL,
  }
}

/**
 * Sentences of the text; where it has none its first lines, of tables and data behind what they are. Of a file
 * without words its facts.
 */
function summaryOf(extraction: Extraction, facts: string, analysis: Analysis, meaning: Meaning): string {
  if (extraction.text === '') return shortened(facts, SUMMARY_LENGTH)
  const quoted = meaning.summary.map((index) => analysis.central[index]!).join(' ')
  if (quoted !== '')
    return shortened(extraction.mediaType === 'document' ? quoted : `${facts} ${quoted}`, SUMMARY_LENGTH)
  const opening = analysis.opening.map((line) => line.replaceAll(/ \|(?= |$)/g, ',')).join('; ')
  if (opening === '') return shortened(facts, SUMMARY_LENGTH)
  const bare = extraction.tables.length === 0 && extraction.format !== 'json'
  return shortened(bare ? opening : `${facts} ${opening}`, SUMMARY_LENGTH)
}

const keywordsOf = (phrases: readonly Phrase[]): string[] =>
  distinct(
    phrases.map(({ text }) => text),
    KEYWORDS,
  )

const describe = (facts: string, topics: readonly string[], keywords: readonly string[]): string =>
  [
    facts,
    topics.length > 0 ? `Topics: ${topics.join('; ')}.` : '',
    keywords.length > 0 ? `Keywords: ${keywords.slice(0, 5).join('; ')}.` : '',
  ]
    .filter(Boolean)
    .join(' ')

function entities(extraction: Extraction, analysis: Analysis, meaning: Meaning): Enrichment['entities'] {
  const { facts } = extraction
  const found = extraction.text
    ? analysis.entities
    : { people: [], organizations: [], locations: [], objects: [] }
  const names = new Set(
    [...found.people, ...found.organizations, ...found.locations].map((name) => name.toLowerCase()),
  )
  const concepts = analysis.english && extraction.text ? meaning.phrases.map(({ text }) => text) : []
  const artist = 'tags' in facts ? facts.tags?.['artist'] : undefined
  return {
    ...found,
    people: [...new Set([...(artist ? [artist] : []), ...found.people])],
    objects: [...new Set([...objectsIn(facts), ...found.objects])].slice(0, 12),
    concepts: distinct(
      concepts.filter((phrase) => ![...names].some((name) => name.includes(phrase) || phrase.includes(name))),
      CONCEPTS,
    ),
  }
}

/** Things that the file shows, whatever its text says. */
function objectsIn(facts: Extraction['facts']): string[] {
  if (facts.mediaType === 'model') return facts.parts
  return facts.mediaType === 'image' ? (facts.seen?.elements ?? []) : []
}

const withoutBlobs = (entities: Enrichment['entities']): Enrichment['entities'] =>
  Object.fromEntries(
    Object.entries(entities).map(([kind, names]) => [
      kind,
      names.filter((name) => name.length <= LONGEST_NAME),
    ]),
  ) as Enrichment['entities']
