import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import type { EmbeddingModel, LanguageModel, TranscriptionModel } from 'ai'
import { fetchAnswer } from './fetching.ts'
import type { ModelReference, ProviderAccess, ProviderName } from './settings.ts'

// What the library has to say goes nowhere else than into our own log.
globalThis.AI_SDK_LOG_WARNINGS = false

/** Model objects of one provider: a name alone would be looked up at a gateway. */
interface ProviderModels {
  text(id: string): LanguageModel
  embedding?(id: string): EmbeddingModel
  transcription?(id: string): TranscriptionModel
}

/** Written out, so that no variable of the environment sends content elsewhere. */
const ADDRESSES = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
} as const

const PROVIDERS: Record<ProviderName, (access: ProviderAccess) => ProviderModels> = {
  openai: ({ url, key }) => openAiProtocol(url ?? ADDRESSES.openai, key),
  compatible: ({ url, key }) => openAiProtocol(url!, key),
  anthropic({ url, key }) {
    const provider = createAnthropic({
      baseURL: url ?? ADDRESSES.anthropic,
      apiKey: key ?? NO_KEY,
      fetch: fetchAnswer,
    })
    return { text: (id) => provider(id) }
  },
  google({ url, key }) {
    const provider = createGoogle({
      baseURL: url ?? ADDRESSES.google,
      apiKey: key ?? NO_KEY,
      fetch: fetchAnswer,
    })
    return { text: (id) => provider(id), embedding: (id) => provider.embedding(id) }
  },
}

/** Without any the library would take one from the environment. */
const NO_KEY = 'none'

function openAiProtocol(baseURL: string, key: string | null): ProviderModels {
  const provider = createOpenAI({ baseURL, apiKey: key ?? NO_KEY, fetch: fetchAnswer })
  return {
    // Chat completions: the one protocol that all servers of this kind speak.
    text: (id) => provider.chat(id),
    embedding: (id) => provider.embedding(id),
    transcription: (id) => provider.transcription(id),
  }
}

export const modelsOf = (
  { provider }: ModelReference,
  access: { [Provider in ProviderName]?: ProviderAccess },
): ProviderModels => PROVIDERS[provider](access[provider] ?? { url: null, key: null })
