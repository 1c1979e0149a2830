import {
  withTranscript,
  type Extraction,
  type Perceived,
  type Perceiver,
  type SeenInPicture,
  type WorkOptions,
} from '@medialog/application/ports'
import type { LanguageModel, TranscriptionModel } from 'ai'
import { ProviderUnavailable } from './failure.ts'
import type { ProviderLine } from './line.ts'
import { isTaken, writeDown } from './transcription.ts'
import { see } from './vision.ts'

export interface PerceiverOptions {
  vision: { line: ProviderLine; model: LanguageModel } | null
  transcription: { line: ProviderLine; model: TranscriptionModel } | null
  onFallback: (use: 'vision' | 'transcription', failure: ProviderUnavailable) => void
}

/** Pictures are seen and recordings heard by models of a provider; where one gives nothing the item says so. */
export function createProviderPerceiver({ vision, transcription, onFallback }: PerceiverOptions): Perceiver {
  return {
    sees: vision !== null,
    hears: (recording) => transcription !== null && isTaken(recording),
    async perceive(perceived, work = {}) {
      const { extraction } = perceived
      const { mediaType } = extraction
      if (mediaType === 'image' && vision) return seen(perceived, work)
      return mediaType === 'audio' && transcription ? heard(perceived, work) : extraction
    },
  }

  async function seen({ extraction, picture }: Perceived, work: WorkOptions): Promise<Extraction> {
    const { facts } = extraction
    if (!picture || facts.mediaType !== 'image')
      return warned(extraction, 'The picture was not looked at by the vision model: no copy could be made.')
    const seen = await orWarning<SeenInPicture>(
      'vision',
      () => see(vision!.line, vision!.model, picture, work),
      'The picture was not described.',
    )
    if (typeof seen === 'string') return warned(extraction, seen)
    return { ...extraction, facts: { ...facts, seen } }
  }

  async function heard({ file, extraction }: Perceived, work: WorkOptions): Promise<Extraction> {
    const { facts } = extraction
    if (facts.mediaType !== 'audio' || !isTaken(file)) return extraction
    const { line, model } = transcription!
    const transcript = await orWarning(
      'transcription',
      () => writeDown(line, model, file, facts.duration, work),
      'The provider did not write down what is said.',
    )
    if (typeof transcript === 'string') return warned(extraction, transcript)
    const { text, language, segments } = transcript
    if (segments.length > 0) return withTranscript({ ...extraction, facts }, transcript, line.model)
    return {
      ...extraction,
      text,
      language: text === '' ? extraction.language : (language ?? extraction.language),
      facts: { ...facts, transcribedBy: line.model },
    }
  }

  async function orWarning<T>(
    use: 'vision' | 'transcription',
    work: () => Promise<T>,
    consequence: string,
  ): Promise<T | string> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ProviderUnavailable)) throw error
      onFallback(use, error)
      return `${consequence} ${error.message}`
    }
  }
}

const warned = (extraction: Extraction, sentence: string): Extraction => ({
  ...extraction,
  warnings: [...extraction.warnings, sentence],
})
