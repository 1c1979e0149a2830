import type { Embedder, Enricher, LanguageModel, Perceiver, Providers } from '@medialog/application/ports'
import { Budget } from './budget.ts'
import { createProviderEmbedder } from './embedder.ts'
import { createProviderEnricher } from './enricher.ts'
import type { ProviderUnavailable } from './failure.ts'
import type { GateOptions } from './gate.ts'
import { createProviderLanguageModel } from './language-model.ts'
import { ProviderLine } from './line.ts'
import { modelsOf } from './models.ts'
import { createProviderPerceiver } from './perceiver.ts'
import type { KeptTokens } from './spent-tokens.ts'
import type { EmbeddingModelReference, ModelReference, ProviderSettings, Use } from './settings.ts'

export interface ProvidersOptions {
  /** Something was made offline, or not at all, because a model gave nothing. */
  onFallback?: (use: Use, failure: ProviderUnavailable) => void
  rest?: GateOptions['rest']
  /** Where it is kept what was spent of the budget; not given: a restart begins it anew. */
  keptTokens?: KeptTokens
}

/** What models of providers do in the place of the offline methods, or beside them. */
export interface OpenedProviders extends Providers {
  /** The offline one itself where no model is configured for it; the same of `enriching`. */
  answering(offline: LanguageModel): LanguageModel
  enriching(offline: Enricher): Enricher
  /** Null where none is configured; the same of both embedders. */
  perceiver: Perceiver | null
  embedder: Embedder | null
  /** The one before, which is asked for what it made. */
  formerEmbedder: Embedder | null
}

/** Opens the way to every model that is configured; asks none of them anything. */
export function openProviders(
  settings: ProviderSettings,
  { onFallback = () => undefined, rest, keptTokens }: ProvidersOptions = {},
): OpenedProviders {
  const { models, access, contextTokens, tokensPerHour, accountTokensPerHour } = settings
  const budget = new Budget(tokensPerHour, undefined, keptTokens, accountTokensPerHour)
  const lines: ProviderLine[] = []
  const lineTo = (use: Use, reference: ModelReference): ProviderLine => {
    const line = new ProviderLine({ ...settings, use, reference, budget, ...(rest && { rest }) })
    lines.push(line)
    return line
  }
  const { answers, enrichment, vision, transcription, embedding, formerEmbedding } = models
  const answersLine = answers && lineTo('answers', answers)
  const enrichmentLine = enrichment && lineTo('enrichment', enrichment)
  const text = (reference: ModelReference) => modelsOf(reference, access).text(reference.id)
  const embedderOf = (reference: EmbeddingModelReference): Embedder =>
    createProviderEmbedder({
      ...reference,
      line: lineTo('embedding', reference),
      model: modelsOf(reference, access).embedding!(reference.id),
      callsAtOnce: settings.callsAtOnce,
    })
  return {
    status: () => lines.map((line) => line.status()),
    answering: (offline) =>
      answersLine
        ? createProviderLanguageModel({
            line: answersLine,
            model: text(answers),
            contextTokens,
            offline,
            onFallback: (failure) => onFallback('answers', failure),
          })
        : offline,
    enriching: (offline) =>
      enrichmentLine
        ? createProviderEnricher({
            line: enrichmentLine,
            model: text(enrichment),
            contextTokens,
            offline,
            onFallback: (failure) => onFallback('enrichment', failure),
          })
        : offline,
    perceiver:
      vision || transcription
        ? createProviderPerceiver({
            vision: vision ? { line: lineTo('vision', vision), model: text(vision) } : null,
            transcription: transcription
              ? {
                  line: lineTo('transcription', transcription),
                  model: modelsOf(transcription, access).transcription!(transcription.id),
                }
              : null,
            onFallback,
          })
        : null,
    embedder: embedding ? embedderOf(embedding) : null,
    formerEmbedder: formerEmbedding ? embedderOf(formerEmbedding) : null,
  }
}
