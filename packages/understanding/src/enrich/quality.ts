import type { Extraction, Facts, Quality } from '@medialog/application/ports'
import type { Analysis } from './analyse.ts'
import { clamp } from './vector-math.ts'

/**
 * Four numbers from 0 to 1, rounded to three decimals.
 *
 * clarity: 0.6 × sentence length (1 up to 20 words on average, 0 from 60) + 0.4 × share of characters that are letters,
 *   digits, spaces or common punctuation. Media without words: 1 where they have a title or a descriptive tag, else 0.5.
 * completeness: the mean of what a reader expects to find. Documents: a title, 50 words, more than one section, not
 *   truncated, no warnings. Media: a title, tags, facts that say something, no warnings.
 * relevance: how well the parts belong together, the mean cosine of the central sentences to their middle, scaled as
 *   search does: (cosine − floor) / (1 − floor). Without vectors: the share of content words that occur again.
 * technical: the condition of the source. Documents: 1 − 20 × share of unreadable characters − 0.2 a warning.
 *   Image: 2 megapixels are 1; video: 1080 lines; audio: 44.1 kHz; model: 1 000 triangles; by square root.
 */
export function qualityOf(extraction: Extraction, analysis: Analysis, coherence: number | null): Quality {
  const parts = expected(extraction)
  return {
    clarity: round(analysis.words > 0 ? clarity(analysis) : described(extraction.facts) ? 1 : 0.5),
    completeness: round(parts.filter(Boolean).length / parts.length),
    relevance: round(coherence ?? analysis.repetition),
    technical: round(condition(extraction, analysis)),
  }
}

const round = (value: number): number => Math.round(clamp(value) * 1000) / 1000

const clarity = ({ wordsPerSentence, legible }: Analysis): number =>
  0.6 * clamp((60 - wordsPerSentence) / 40) + 0.4 * legible

function expected({ facts, title, sections, truncated, warnings, text }: Extraction): boolean[] {
  const whole = !truncated && warnings.length === 0
  if (facts.mediaType !== 'document') return [title !== null, described(facts), whole, text !== '']
  return [title !== null, facts.wordCount >= 50, sections.length > 1, !truncated, warnings.length === 0]
}

/** Whether someone or some device left words about it. */
function described(facts: Facts): boolean {
  switch (facts.mediaType) {
    case 'document':
      return facts.wordCount > 0
    case 'image':
      return Object.keys(facts.exif).length > 0
    case 'video':
    case 'audio':
      return Object.keys(facts.tags ?? {}).length > 0
    case 'model':
      return facts.materials.length + facts.parts.length > 0
  }
}

function condition({ facts, warnings }: Extraction, { unreadable }: Analysis): number {
  switch (facts.mediaType) {
    case 'document':
      return 1 - 20 * unreadable - 0.2 * warnings.length
    case 'image':
      return Math.sqrt((facts.width * facts.height) / 2e6)
    case 'video':
      return Math.sqrt(Math.min(facts.width, facts.height) / 1080)
    case 'audio':
      return Math.sqrt(facts.sampleRate / 44_100)
    case 'model':
      return Math.sqrt(facts.triangleCount / 1_000)
  }
}
