import {
  OFFERS,
  type ModelReference,
  type ProviderName,
  type ProviderSettings,
  type Use,
} from '@medialog/providers/settings'
import { z } from 'zod'
import { bareHttpAddress, headerKey, InvalidConfiguration, integer, parsed, text } from './config-values.ts'

const PROVIDERS = Object.keys(OFFERS) as ProviderName[]

/** Which setting names the model of which use. */
const MODEL_SETTINGS = {
  MEDIALOG_ANSWER_MODEL: 'answers',
  MEDIALOG_ENRICHMENT_MODEL: 'enrichment',
  MEDIALOG_VISION_MODEL: 'vision',
  MEDIALOG_TRANSCRIPTION_MODEL: 'transcription',
  MEDIALOG_EMBEDDING_MODEL: 'embedding',
  MEDIALOG_FORMER_EMBEDDING_MODEL: 'embedding',
} as const satisfies Record<string, Use>

/** Under the names that their own tools have made known. */
const KEY_SETTINGS = {
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  google: 'GOOGLE_GENERATIVE_AI_API_KEY',
} as const

/** `openai:gpt-5-mini`: provider and model, which may hold colons of its own. */
const model = z.string().transform((value, context): ModelReference => {
  const colon = value.indexOf(':')
  const provider = PROVIDERS.find((name) => name === value.slice(0, colon))
  const id = value.slice(colon + 1).trim()
  if (provider && id !== '') return { provider, id }
  context.addIssue({
    code: 'custom',
    message: `must read like openai:gpt-5-mini or compatible:llama3.2, not '${value}' (providers: ${PROVIDERS.join(', ')})`,
  })
  return z.NEVER
})

const url = bareHttpAddress('http://127.0.0.1:11434/v1', 'a key belongs into MEDIALOG_PROVIDER_KEY')

const dimensions = integer(16, 4096).optional()
const floor = text
  .regex(/^0(?:\.\d+)?$/, 'must be a number from 0 to below 1')
  .transform(Number)
  .default(0.2)

const Settings = z.object({
  MEDIALOG_ANSWER_MODEL: model.optional(),
  MEDIALOG_ENRICHMENT_MODEL: model.optional(),
  MEDIALOG_VISION_MODEL: model.optional(),
  MEDIALOG_TRANSCRIPTION_MODEL: model.optional(),
  MEDIALOG_EMBEDDING_MODEL: model.optional(),
  MEDIALOG_EMBEDDING_DIMENSIONS: dimensions,
  MEDIALOG_EMBEDDING_FLOOR: floor,
  MEDIALOG_FORMER_EMBEDDING_MODEL: model.optional(),
  MEDIALOG_FORMER_EMBEDDING_DIMENSIONS: dimensions,
  MEDIALOG_FORMER_EMBEDDING_FLOOR: floor,
  MEDIALOG_PROVIDER_URL: url.optional(),
  MEDIALOG_PROVIDER_KEY: headerKey.optional(),
  OPENAI_API_KEY: headerKey.optional(),
  ANTHROPIC_API_KEY: headerKey.optional(),
  GOOGLE_GENERATIVE_AI_API_KEY: headerKey.optional(),
  MEDIALOG_PROVIDER_TIMEOUT_SECONDS: integer(1, 600).default(60),
  MEDIALOG_PROVIDER_RETRIES: integer(0, 10).default(2),
  MEDIALOG_PROVIDER_CALLS: integer(1, 64).default(4),
  MEDIALOG_PROVIDER_CONTEXT_TOKENS: integer(1_000, 2_000_000).default(32_000),
  MEDIALOG_PROVIDER_TOKENS_PER_HOUR: integer(1, 1_000_000_000_000).optional(),
  MEDIALOG_PROVIDER_ACCOUNT_TOKENS_PER_HOUR: integer(1, 1_000_000_000_000).optional(),
})

export const PROVIDER_VARIABLES = Object.keys(Settings.shape)

/** Null where no model of a provider is named. @throws InvalidConfiguration */
export function readProviderSettings(
  environment: Record<string, string | undefined>,
): ProviderSettings | null {
  const named = Object.keys(MODEL_SETTINGS).filter((setting) => environment[setting] !== undefined)
  // Keys that other programs of this machine use are none of our business.
  const ours = Object.entries(environment).filter(
    ([setting]) => named.length > 0 || setting.startsWith('MEDIALOG_'),
  )
  const settings = parsed(Settings, Object.fromEntries(ours))
  if (named.length === 0) return null
  const models: ProviderSettings['models'] = {}
  const access: ProviderSettings['access'] = {}
  for (const setting of named as (keyof typeof MODEL_SETTINGS)[]) {
    const use = MODEL_SETTINGS[setting]
    const reference = settings[setting]!
    refuseNotOffered(setting, use, reference)
    access[reference.provider] = accessOf(setting, reference, settings)
    if (setting === 'MEDIALOG_FORMER_EMBEDDING_MODEL')
      models.formerEmbedding = { ...reference, ...vectorsOf('MEDIALOG_FORMER_EMBEDDING', settings) }
    else if (use === 'embedding')
      models.embedding = { ...reference, ...vectorsOf('MEDIALOG_EMBEDDING', settings) }
    else models[use] = reference
  }
  return {
    models,
    access,
    timeoutMs: settings.MEDIALOG_PROVIDER_TIMEOUT_SECONDS * 1000,
    retries: settings.MEDIALOG_PROVIDER_RETRIES,
    callsAtOnce: settings.MEDIALOG_PROVIDER_CALLS,
    contextTokens: settings.MEDIALOG_PROVIDER_CONTEXT_TOKENS,
    tokensPerHour: settings.MEDIALOG_PROVIDER_TOKENS_PER_HOUR ?? null,
    accountTokensPerHour: settings.MEDIALOG_PROVIDER_ACCOUNT_TOKENS_PER_HOUR ?? null,
  }
}

function refuseNotOffered(setting: string, use: Use, { provider }: ModelReference): void {
  const offers: readonly Use[] = OFFERS[provider]
  if (offers.includes(use)) return
  const others = PROVIDERS.filter((name) => (OFFERS[name] as readonly Use[]).includes(use))
  throw new InvalidConfiguration(
    `${setting} names ${provider}, which has no models for ${use} here: ${others.join(', ')} have.`,
  )
}

function accessOf(
  setting: string,
  { provider }: ModelReference,
  settings: z.output<typeof Settings>,
): { url: string | null; key: string | null } {
  if (provider === 'compatible') {
    const url = settings.MEDIALOG_PROVIDER_URL
    if (url === undefined)
      throw new InvalidConfiguration(
        `${setting} names a compatible server: say where it is with MEDIALOG_PROVIDER_URL, like http://127.0.0.1:11434/v1.`,
      )
    return { url, key: settings.MEDIALOG_PROVIDER_KEY ?? null }
  }
  const key = settings[KEY_SETTINGS[provider]]
  if (key === undefined)
    throw new InvalidConfiguration(`${setting} names ${provider}: give its key in ${KEY_SETTINGS[provider]}.`)
  return { url: null, key }
}

function vectorsOf(
  embedding: 'MEDIALOG_EMBEDDING' | 'MEDIALOG_FORMER_EMBEDDING',
  settings: z.output<typeof Settings>,
): { dimensions: number; cosineFloor: number } {
  const dimensions = settings[`${embedding}_DIMENSIONS`]
  if (dimensions === undefined)
    throw new InvalidConfiguration(
      `${embedding}_MODEL is set: say in ${embedding}_DIMENSIONS how many numbers its vectors have.`,
    )
  return { dimensions, cosineFloor: settings[`${embedding}_FLOOR`] }
}
