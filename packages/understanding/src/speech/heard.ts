import type { Chunk, Extraction, SpeechSegment } from '@medialog/application/ports/understanding'
import { bodyChunks } from '../chunk.ts'
import type { HeardSegment } from './window.ts'

/** A warning: how sure the model is of what it wrote, if it wrote anything. */
export function heardBy(model: string, segments: readonly HeardSegment[]): string[] {
  if (segments.length === 0) return []
  const length = segments.reduce((sum, { text }) => sum + text.length, 0)
  const sum = segments.reduce((total, { text, confidence }) => total + confidence * text.length, 0)
  const percent = Math.round((100 * sum) / length)
  return [`The text was written down by a machine (${model}), which is ${percent} % sure of it.`]
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
