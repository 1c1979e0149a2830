/** What a model may be used for. */
export const USES = ['answers', 'enrichment', 'vision', 'transcription', 'embedding'] as const
export type Use = (typeof USES)[number]

/**
 * Who offers what. `compatible` is any server that speaks OpenAI's protocol: what it offers is for whoever runs it to
 * know.
 */
export const OFFERS = {
  openai: USES,
  anthropic: ['answers', 'enrichment', 'vision'],
  google: ['answers', 'enrichment', 'vision', 'embedding'],
  compatible: USES,
} as const satisfies Record<string, readonly Use[]>

export type ProviderName = keyof typeof OFFERS

/** A model of a provider: written `openai:gpt-5-mini`. */
export interface ModelReference {
  provider: ProviderName
  id: string
}

export const nameOf = ({ provider, id }: ModelReference): string => `${provider}:${id}`

export interface ProviderAccess {
  /** Null: the provider's own address. */
  url: string | null
  /** Null: none is asked for. Never shown or logged. */
  key: string | null
}

export interface EmbeddingModelReference extends ModelReference {
  /** How many numbers its vectors have. */
  dimensions: number
  /** See Embedder.cosineFloor. */
  cosineFloor: number
}

/** Which models are used for what; a use without one has the offline method. */
export interface ProviderSettings {
  models: { [U in Exclude<Use, 'embedding'>]?: ModelReference } & {
    embedding?: EmbeddingModelReference
    /** Of whose vectors some are still stored. */
    formerEmbedding?: EmbeddingModelReference
  }
  access: { [Provider in ProviderName]?: ProviderAccess }
  /** How long one call may take, and in a stream how long the next piece. */
  timeoutMs: number
  /** How often a call is repeated that failed in a way that may pass. */
  retries: number
  /** Calls of one use that are under way at once. */
  callsAtOnce: number
  /** What a model is given at most in one call: longer texts are sent in excerpts. */
  contextTokens: number
  /** Of all uses together; null: no limit. */
  tokensPerHour: number | null
  /** The same for one account. */
  accountTokensPerHour: number | null
}
