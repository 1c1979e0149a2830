import type { AudioFacts, Extraction, SpeechSegment, TimeSpan, VideoFacts } from './understanding.ts'

/** What is said, in the order of its times. */
export interface Transcript {
  /** ISO 639-1, or what the model calls it; null where nothing was said, or it is not known. */
  language: string | null
  segments: readonly SaidSegment[]
}

export interface SaidSegment extends TimeSpan {
  /** Not empty. */
  text: string
  /** From 0 to 1, where the model says how sure it is. */
  confidence?: number
}

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
  for (const { text: said, ...segment } of segments) {
    const last = placed.at(-1)
    if (last) text += segment.start - last.end >= PARAGRAPH ? '\n\n' : ' '
    placed.push({ ...segment, at: text.length })
    text += said
  }
  return {
    ...extraction,
    text,
    language: language ?? extraction.language,
    facts: { ...extraction.facts, transcribedBy: model, segments: placed },
  }
}
