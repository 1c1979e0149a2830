import type {
  AudioFacts,
  Chunk,
  Extraction,
  SpeechSegment,
  VideoFacts,
} from '@medialog/application/ports/understanding'
import { bodyChunks } from '../chunk.ts'
import type { Transcript } from './transcriber.ts'

/** Seconds. A longer silence parts paragraphs. */
const PARAGRAPH = 2

/** The extraction of a recording or film with what a model heard: its text, and when each part of it was said. */
export function withTranscript(
  extraction: Extraction & { facts: AudioFacts | VideoFacts },
  { language, segments }: Transcript,
  model: string,
): Extraction {
  const placed: SpeechSegment[] = []
  let text = ''
  for (const { start, end, confidence, text: said } of segments) {
    const last = placed.at(-1)
    if (last) text += start - last.end >= PARAGRAPH ? '\n\n' : ' '
    placed.push({ start, end, at: text.length, confidence })
    text += said
  }
  return {
    ...extraction,
    text,
    language: language ?? extraction.language,
    facts: { ...extraction.facts, transcribedBy: model, segments: placed },
    warnings: text === '' ? extraction.warnings : [...extraction.warnings, heardBy(model, segments)],
  }
}

function heardBy(model: string, segments: Transcript['segments']): string {
  const length = segments.reduce((sum, { text }) => sum + text.length, 0)
  const sum = segments.reduce((total, { text, confidence }) => total + confidence * text.length, 0)
  const percent = Math.round((100 * sum) / length)
  return `The text was written down by a machine (${model}), which is ${percent} % sure of it.`
}

/** Seconds after which what is said begins another passage, so that a passage's time tells where to listen. */
const PASSAGE = 30

/** The passages of what was heard, and with their times what it is made of; null where it is not known when anything was said. */
export function spokenPassages(extraction: Extraction): { extraction: Extraction; passages: Chunk[] } | null {
  const { text, facts } = extraction
  if (!('segments' in facts) || !facts.segments || facts.segments.length === 0) return null
  const { segments } = facts
  let begun = segments[0]!.start
  const sections = segments.flatMap(({ start, at }) => {
    if (start - begun < PASSAGE) return []
    begun = start
    return [{ start: at }]
  })
  const passages = bodyChunks({ text, sections })
  const saidAt = (place: number): SpeechSegment => segments.findLast(({ at }) => at <= place) ?? segments[0]!
  const passageTimes = passages.map(({ start, end }) => ({
    start: saidAt(start).start,
    end: saidAt(end - 1).end,
  }))
  return { extraction: { ...extraction, facts: { ...facts, passageTimes } }, passages }
}
