/** How the way to one model of a provider is. */
export interface ProviderStatus {
  /** What the model is used for: `answers`, `enrichment`, `vision`, `transcription`, `embedding`. */
  use: string
  /** `openai:gpt-5-mini` */
  model: string
  /** `open`: it failed repeatedly and is not asked for a while; `half-open`: one call tries it again. */
  breaker: 'closed' | 'open' | 'half-open'
  /** Why the last call gave nothing, a sentence for people; null where it did. */
  trouble: string | null
  /** Of the budget that all models share in an hour; null where there is no limit. */
  tokensLeft: number | null
  /** Since the start. `refused`: not made, for the breaker, the budget, or too many at once. */
  calls: { succeeded: number; failed: number; refused: number; tokens: number }
}

/** The model providers that are configured. */
export interface Providers {
  status(): ProviderStatus[]
}
