import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { DEFAULT_PRICES, type PriceKey, type Prices } from '@medialog/application/billing/prices'
import { TIERS, type Tier } from '@medialog/domain'
import { nearest, usd } from '@medialog/kernel'
import type { KafkaSettings } from '@medialog/messaging/kafka/settings'
import type { ProviderSettings } from '@medialog/providers/settings'
import { z } from 'zod'
import { checkpointKeyIn, formerKeyIn, type CheckpointKey } from './checkpoint-key.ts'
import { InvalidConfiguration, integer, parsed, switched, text } from './config-values.ts'
import {
  ELASTICSEARCH_VARIABLES,
  readElasticsearchSettings,
  type ElasticsearchSettings,
} from './elasticsearch-settings.ts'
import {
  EVENTSTOREDB_VARIABLES,
  readEventStoreDbSettings,
  type EventStoreDbSettings,
} from './event-store-db-settings.ts'
import { heldSocketsIn, type HeldSockets } from './held-sockets.ts'
import { KAFKA_VARIABLES, readKafkaSettings } from './kafka-settings.ts'
import { PROVIDER_VARIABLES, readProviderSettings } from './provider-settings.ts'
import { requireSettingsOf, type Role } from './roles.ts'
import {
  readSharedStateSettings,
  SHARED_STATE_VARIABLES,
  type SharedStateSettings,
} from './shared-state-settings.ts'
import { readTemporalSettings, TEMPORAL_VARIABLES, type TemporalSettings } from './temporal-settings.ts'
import { readWebhookSettings, WEBHOOK_VARIABLES, type WebhookSettings } from './webhook-settings.ts'

export { InvalidConfiguration }

/** Every setting by its name in the environment; docs/configuration.md says the same in words. */
const Environment = z.object({
  HOST: text.default('127.0.0.1'),
  PORT: integer(0, 65_535).default(8080),
  ADMIN_PORT: integer(0, 65_535).optional(),
  METRICS_PORT: integer(0, 65_535).optional(),
  MEDIALOG_DATA_DIR: text.default('./data'),
  MEDIALOG_OPERATOR_TOKEN: secret().optional(),
  MEDIALOG_POSITION_KEY: secret().optional(),
  MEDIALOG_FORMER_POSITION_KEY: secret().optional(),
  NODE_ENV: text.optional(),
  MEDIALOG_ENVIRONMENT: text.default('development'),
  MEDIALOG_LOG_LEVEL: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('warn'),
  MEDIALOG_SANDBOX: oneOf(['best', 'required']).optional(),
  MEDIALOG_EXTRACTORS: integer(1, 64).default(Math.min(2, availableParallelism())),
  MEDIALOG_EMBEDDERS: integer(1, 64).default(Math.min(2, availableParallelism())),
  MEDIALOG_EMBEDDER: text.optional(),
  MEDIALOG_FORMER_EMBEDDER: text.optional(),
  MEDIALOG_CORS_ORIGINS: origins().default([]),
  MEDIALOG_RATE_LIMITS: limits({ free: 60, standard: 600, enterprise: 6000 }, 1),
  MEDIALOG_FOLLOWERS: limits({ free: 2, standard: 10, enterprise: 50 }, 1),
  MEDIALOG_QUOTAS: limits({ free: 10_000, standard: 1_000_000, enterprise: 100_000_000 }, 0),
  MEDIALOG_OPEN_BATCHES: limits({ free: 5, standard: 20, enterprise: 100 }, 1),
  MEDIALOG_BATCH_MEGABYTES: limits({ free: 250, standard: 1_000, enterprise: 5_000 }, 1),
  MEDIALOG_WEBHOOKS: limits({ free: 5, standard: 20, enterprise: 100 }, 0),
  MEDIALOG_PRICES: prices(),
  MEDIALOG_OCR_LANGUAGES: languages().default(['eng']),
  MEDIALOG_OCR_DATA_DIR: text.optional(),
  MEDIALOG_PREVIEWS: switched,
  MEDIALOG_SPEECH: text.default('on'),
  MEDIALOG_DRAIN_SECONDS: integer(0, 600).default(20),
  MEDIALOG_LONGEST_REQUEST_SECONDS: integer(1, 43_200).default(900),
  MEDIALOG_FREE_MEGABYTES: integer(0, 1_000_000_000).default(100),
  MEDIALOG_CHECKPOINT_EVENTS: integer(100, 1_000_000_000).default(10_000),
  MEDIALOG_CHECKPOINT_KEY: text.optional(),
  MEDIALOG_FORMER_CHECKPOINT_KEY: text.optional(),
})

function secret() {
  return z.string().min(16, 'must have at least 16 characters')
}

/** The names of all settings. */
export const VARIABLES: readonly string[] = [
  ...Object.keys(Environment.shape),
  ...EVENTSTOREDB_VARIABLES,
  ...ELASTICSEARCH_VARIABLES,
  ...TEMPORAL_VARIABLES,
  ...KAFKA_VARIABLES,
  ...PROVIDER_VARIABLES,
  ...SHARED_STATE_VARIABLES,
  ...WEBHOOK_VARIABLES,
]

/** Of the command line, which may be in the same environment. */
const OF_CLIENTS = ['MEDIALOG_URL', 'MEDIALOG_API_KEY', 'MEDIALOG_DEBUG']

/** A sentence about each unknown variable that begins with MEDIALOG_. */
const unknownSettings = (environment: NodeJS.ProcessEnv): string[] =>
  Object.keys(environment)
    .filter((name) => name.startsWith('MEDIALOG_') && ![...VARIABLES, ...OF_CLIENTS].includes(name))
    .sort()
    .map((name) => {
      const meant = nearest(name, VARIABLES)
      return `${name} is no setting of this version${meant === null ? '' : `: did you mean ${meant}?`}`
    })

/** Where `NODE_ENV` may have been meant to be what it is not. */
function modeWarnings({ NODE_ENV: mode }: NodeJS.ProcessEnv): string[] {
  if (mode === undefined || ['production', 'development', 'test'].includes(mode)) return []
  return [`NODE_ENV=${mode} changes nothing: only NODE_ENV=production does`]
}

/** `https://app.example.com,http://localhost:3000`, as browsers name them; `*`: every one. */
function origins() {
  return z.string().transform((value, context) => {
    const named = value.split(',').map((origin) => origin.trim())
    const wrong = named.find(
      (origin) => origin !== '*' && (origin.includes('*') || URL.parse(origin)?.origin !== origin),
    )
    if (wrong !== undefined)
      context.addIssue({
        code: 'custom',
        message: `must read like https://app.example.com,http://localhost:3000 or be *, not '${wrong}'`,
      })
    return named
  })
}

/** `eng,kor`, Tesseract's codes; `none` turns the reading of pictures off. */
function languages() {
  return z.string().transform((value, context) => {
    const codes = value.split(',').map((code) => code.trim())
    const wrong = codes.find((code) => !/^[a-z]{3}(?:_[a-z]+)*$/i.test(code) || code === 'none')
    if (value.trim() === 'none') return []
    if (wrong !== undefined)
      context.addIssue({
        code: 'custom',
        message: `must read like eng,kor (Tesseract's codes) or be none, not '${wrong}'`,
      })
    return [...new Set(codes)]
  })
}

/** `free=60,standard=600`: what is not named keeps its default. */
function limits(defaults: Record<Tier, number>, least: number) {
  return z
    .string()
    .transform((value, context) => {
      const named = { ...defaults }
      for (const part of value.split(',')) {
        const [, tier, limit] = /^\s*(free|standard|enterprise)\s*=\s*(\d{1,15})\s*$/.exec(part) ?? []
        const wrong = !isTier(tier)
          ? `must read like free=60,standard=600, not '${part}'`
          : Number(limit) < least
            ? `must give every tier at least ${least}, not '${part}'`
            : null
        if (wrong !== null) context.addIssue({ code: 'custom', message: wrong })
        else named[tier as Tier] = Number(limit)
      }
      return named
    })
    .default(defaults)
}

const inBytes = (megabytes: Record<Tier, number>): Record<Tier, number> =>
  Object.fromEntries(TIERS.map((tier) => [tier, megabytes[tier] * 1_000_000])) as Record<Tier, number>

function oneOf<const Name extends string>(names: readonly Name[]) {
  return z.enum(names, { error: ({ input }) => `must be one of ${names.join(', ')}, not '${String(input)}'` })
}

const isTier = (name: string | undefined): name is Tier => TIERS.includes(name as Tier)

/** `ADVANCED_SEARCH=0.02`: USD with at most nine decimals; what is not named keeps its default. */
function prices() {
  return z
    .string()
    .transform((value, context): Prices => {
      const named: Record<PriceKey, bigint> = { ...DEFAULT_PRICES }
      for (const part of value.split(',')) {
        const [, key, amount] = /^\s*(\w+)\s*=\s*(\d{1,6}(?:\.\d{1,9})?)\s*$/.exec(part) ?? []
        if (key !== undefined && Object.hasOwn(DEFAULT_PRICES, key)) named[key as PriceKey] = usd(amount!)
        else
          context.addIssue({
            code: 'custom',
            message: `must read like ADVANCED_SEARCH=0.02,MEDIA_ANALYSIS=0.05, not '${part}' (prices: ${Object.keys(DEFAULT_PRICES).join(', ')})`,
          })
      }
      // The price list would show a price that is never charged.
      if (named.BASIC_SEARCH > 0n)
        context.addIssue({ code: 'custom', message: 'must leave BASIC_SEARCH at 0: a basic search is free' })
      return named
    })
    .default(DEFAULT_PRICES)
}

export interface Config extends SharedStateSettings {
  /** Null: all of them, in the only process that its log has. */
  roles: readonly Role[] | null
  /** What the service starts with, and was probably meant otherwise: a sentence each. */
  warnings: readonly string[]
  host: string
  port: number
  /** Where `/admin` is answered too; null: at `port`. */
  adminPort: number | null
  /** Where requests come, and those of operators, whatever `port` and `adminPort` say. */
  heldSockets: HeldSockets
  /** Health and metrics for those inside the network; null: on the main listener alone, metrics to the operator. */
  metricsPort: number | null
  dataFolder: string
  /** Null: made at first start and kept in the data folder. */
  operatorToken: string | null
  /** Seals positions. Null: made at first start and kept in the data folder or, of several processes, derived from the token. */
  positionKey: string | null
  /** The one before it. */
  formerPositionKey: string | null
  /** The first start opens no account. */
  production: boolean
  environment: string
  logLevel: string
  /** `required`: no file is read by a process that the kernel does not confine. */
  sandbox: 'best' | 'required'
  extractors: number
  embedders: number
  /** Folder of the model that embeds what is searched; null: the one in the box. */
  embedderFolder: string | null
  /** Folder of the one that did so before, where that was not the one in the box. */
  formerEmbedderFolder: string | null
  /** Whose pages browsers let call the service. */
  corsOrigins: readonly string[]
  rateLimits: Record<Tier, number>
  followers: Record<Tier, number>
  quotas: Record<Tier, number>
  openBatches: Record<Tier, number>
  batchBytes: Record<Tier, number>
  mostWebhooks: Record<Tier, number>
  prices: Prices
  /** Tesseract's codes of the languages in which pictures are read; none: they are not. */
  ocrLanguages: readonly string[]
  /** Whether a small copy of each image is kept. */
  previews: boolean
  /** Where trained data is looked for before its packages. */
  ocrDataFolder: string | null
  /** Whether what is said in recordings and films is written down here; and by which model, unless by the one in the box. */
  hears: boolean
  speechFolder: string | null
  drainMs: number
  /** A request of another process that is older counts as dead. */
  longestRequestMs: number
  /** With less than that free on the disk no upload is taken. */
  reservedBytes: number
  /** Events between two signed checkpoints of the log. */
  checkpointEvents: number
  /** Signs them; null: made at first start and kept in the data folder, or, of several processes, none. */
  checkpointKey: CheckpointKey | null
  /** The one that signed before it. */
  formerCheckpointKey: CheckpointKey | { publicKey: string } | null
  /** Null: the log is in the data folder. */
  eventStoreDb: EventStoreDbSettings | null
  /** Null: the read models are in files of the data folder. */
  elasticsearch: ElasticsearchSettings | null
  /** Null: this process carries uploads and batches. */
  temporal: TemporalSettings | null
  /** Null: everything is made offline. */
  providers: ProviderSettings | null
  /** Null: events are not published. */
  kafka: KafkaSettings | null
  webhooks: WebhookSettings
}

/** Where a process without an API answers for its health, and is measured. */
const HEALTH_PORT = 9464

/** @throws InvalidConfiguration */
function requireDifferentPorts(data: z.output<typeof Environment>): void {
  const taken = new Map<number, string>()
  for (const name of ['PORT', 'ADMIN_PORT', 'METRICS_PORT'] as const) {
    const port = data[name]
    if (!port) continue
    const other = taken.get(port)
    if (other)
      throw new InvalidConfiguration(`${other} and ${name} are both ${port}: give one of them another port.`)
    taken.set(port, name)
  }
}

export function readConfig(environment: NodeJS.ProcessEnv, roles: readonly Role[] | null = null): Config {
  // An empty setting is one that is not there: `PORT= npm start`.
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const data = parsed(Environment, set)
  if (roles) requireSettingsOf(roles, set)
  const hasApi = roles === null || roles.includes('api')
  if (hasApi) requireDifferentPorts(data)
  const providers = readProviderSettings(set)
  if (data.MEDIALOG_EMBEDDER !== undefined && providers?.models.embedding)
    throw new InvalidConfiguration(
      'MEDIALOG_EMBEDDER and MEDIALOG_EMBEDDING_MODEL each name an embedder: unset one of them.',
    )
  return {
    roles,
    warnings: [...unknownSettings(set), ...modeWarnings(set)],
    host: data.HOST,
    port: data.PORT,
    adminPort: data.ADMIN_PORT ?? null,
    heldSockets: heldSocketsIn(environment),
    metricsPort: data.METRICS_PORT ?? (hasApi ? null : HEALTH_PORT),
    dataFolder: resolve(data.MEDIALOG_DATA_DIR),
    operatorToken: data.MEDIALOG_OPERATOR_TOKEN ?? null,
    positionKey: data.MEDIALOG_POSITION_KEY ?? null,
    formerPositionKey: data.MEDIALOG_FORMER_POSITION_KEY ?? null,
    production: data.NODE_ENV === 'production',
    environment: data.MEDIALOG_ENVIRONMENT,
    logLevel: data.MEDIALOG_LOG_LEVEL,
    sandbox: data.MEDIALOG_SANDBOX ?? (data.NODE_ENV === 'production' ? 'required' : 'best'),
    extractors: data.MEDIALOG_EXTRACTORS,
    embedders: data.MEDIALOG_EMBEDDERS,
    embedderFolder: data.MEDIALOG_EMBEDDER === undefined ? null : resolve(data.MEDIALOG_EMBEDDER),
    formerEmbedderFolder:
      data.MEDIALOG_FORMER_EMBEDDER === undefined ? null : resolve(data.MEDIALOG_FORMER_EMBEDDER),
    corsOrigins: data.MEDIALOG_CORS_ORIGINS,
    rateLimits: data.MEDIALOG_RATE_LIMITS,
    followers: data.MEDIALOG_FOLLOWERS,
    quotas: data.MEDIALOG_QUOTAS,
    openBatches: data.MEDIALOG_OPEN_BATCHES,
    batchBytes: inBytes(data.MEDIALOG_BATCH_MEGABYTES),
    mostWebhooks: data.MEDIALOG_WEBHOOKS,
    prices: data.MEDIALOG_PRICES,
    ocrLanguages: data.MEDIALOG_OCR_LANGUAGES,
    previews: data.MEDIALOG_PREVIEWS,
    ocrDataFolder: data.MEDIALOG_OCR_DATA_DIR ? resolve(data.MEDIALOG_OCR_DATA_DIR) : null,
    hears: data.MEDIALOG_SPEECH !== 'off',
    speechFolder: ['on', 'off'].includes(data.MEDIALOG_SPEECH) ? null : resolve(data.MEDIALOG_SPEECH),
    drainMs: data.MEDIALOG_DRAIN_SECONDS * 1000,
    longestRequestMs: data.MEDIALOG_LONGEST_REQUEST_SECONDS * 1000,
    reservedBytes: data.MEDIALOG_FREE_MEGABYTES * 1_000_000,
    checkpointEvents: data.MEDIALOG_CHECKPOINT_EVENTS,
    checkpointKey:
      data.MEDIALOG_CHECKPOINT_KEY === undefined ? null : checkpointKeyIn(data.MEDIALOG_CHECKPOINT_KEY),
    formerCheckpointKey:
      data.MEDIALOG_FORMER_CHECKPOINT_KEY === undefined
        ? null
        : formerKeyIn(data.MEDIALOG_FORMER_CHECKPOINT_KEY),
    eventStoreDb: readEventStoreDbSettings(set),
    elasticsearch: readElasticsearchSettings(set),
    temporal: readTemporalSettings(set),
    providers,
    kafka: readKafkaSettings(set),
    webhooks: readWebhookSettings(set),
    ...readSharedStateSettings(set),
  }
}

/** Whether other processes may be at the same log: where both log and work are on servers, nothing keeps them away. */
export const isShared = ({ eventStoreDb, temporal }: Pick<Config, 'eventStoreDb' | 'temporal'>): boolean =>
  eventStoreDb !== null && temporal !== null

/** Whether the process fills the role: one that was told none fills all. */
export const does = ({ roles }: Pick<Config, 'roles'>, role: Role): boolean =>
  roles === null || roles.includes(role)
