import { latest } from '@medialog/kernel'
import type { Ports } from '../core/ports.ts'
import { unlessAway } from '../core/unless-away.ts'
import { embeddingProblems, embeddingStatus } from '../embedding/status.ts'
import {
  describeDamage,
  fullDisk,
  isDiskFull,
  type Embedder,
  type ProviderStatus,
  type PublishingStatus,
  type ReadModelStatus,
  type Room,
  type WebhooksStatus,
} from '../ports/index.ts'

export type ComponentState = 'operational' | 'degraded' | 'unavailable'

/** By what the service can do less than it should, for those who use it. */
export const LIMITS = ['reading', 'workers', 'disk', 'clock', 'damage'] as const
export type Limit = (typeof LIMITS)[number]

export interface Health {
  status: 'operational' | 'degraded' | 'critical'
  components: {
    api: ComponentState
    storage: ComponentState
    search: ComponentState
    /** Object storage, where one is configured. */
    artifacts?: ComponentState
    /** What counts requests for all processes, where one is configured. */
    limits?: ComponentState
    /** Where events are published. */
    publisher?: ComponentState
    /** What sends events to webhooks, while something is wrong with it. */
    webhooks?: ComponentState
  }
  /** What is done less well than it could be for those who use the service, for people. */
  limitations: Partial<Record<Limit, string>>
  /** One entry a part that is not operational: what is wrong, for people. */
  problems: string[]
  readModels: ReadModelStatus[]
  /** None: everything is made offline. */
  providers: ProviderStatus[]
  /** Null: events are not published. */
  publishing: PublishingStatus | null
  /** Null: this process sends nothing to webhooks. */
  webhooks: WebhooksStatus | null
  /** Items whose content is dead and not wiped from every file yet; at least. */
  pendingErasures: number
  /** Of the disk that uploads are written to; null where it is not known. */
  room: Room | null
}

/** A read model that far behind the log is called degraded. */
const BEHIND = 1_000
const ERASURES_COUNTED = 1_000
/** What it means for clients that no worker runs their jobs. */
const WAITING = 'uploads are refused and batches wait until a worker is back'

const DAMAGES_TOLD = 10

const WRONG_CLOCK = 'changes are refused until the clock of the service is right'
const FULL = 'uploads are refused until there is room on the disk again'

export type HealthPorts = Pick<
  Ports,
  | 'eventStore'
  | 'projections'
  | 'catalog'
  | 'search'
  | 'accounts'
  | 'usage'
  | 'work'
  | 'batches'
  | 'history'
  | 'embedder'
  | 'understanding'
  | 'formerEmbedders'
  | 'providers'
  | 'publishing'
  | 'sentElsewhere'
  | 'webhooks'
  | 'orchestrator'
  | 'background'
  | 'artifacts'
  | 'rateLimiter'
  | 'staging'
  | 'clock'
>

/**
 * How the parts are, each asked for a real answer: once for all callers at a time, since anybody may ask for readiness
 * without a key, and each answer costs every engine a request. A part that does not answer in time counts as it last was.
 * Never throws: a part that cannot be asked is unavailable.
 */
export function createHealth(parts: HealthPorts): () => Promise<Health> {
  const questions = questionsTo(parts)
  let underWay: Promise<Health> | null = null
  return () => (underWay ??= readHealth(parts, questions).finally(() => (underWay = null)))
}

/** The answer; null if the part failed or did not answer in time: `problems` then says why. */
type Question<Answer> = (problems: string[]) => Promise<Answer | null>

function question<Answer>(part: string, ask: () => Promise<Answer>): Question<Answer> {
  const answer = latest(ask)
  return async (problems) => {
    try {
      return await answer()
    } catch (error) {
      problems.push(`${part}: ${(error as Error).message}`)
      return null
    }
  }
}

/** What is wrong with a part, null if nothing: one that cannot say so is in trouble. */
function troubleOf(part: string, ask: () => Promise<string | null>): Question<string> {
  const answer = latest(ask)
  return async (problems) => {
    const trouble = await answer().catch((error: unknown) => (error as Error).message)
    if (trouble !== null) problems.push(`${part}: ${trouble}`)
    return trouble
  }
}

type Questions = ReturnType<typeof questionsTo>

const questionsTo = (parts: HealthPorts) => ({
  head: question('event store', () => parts.eventStore.head()),
  damaged: question('event store', async () => (await unlessAway(parts.eventStore.damaged())) ?? []),
  statuses: question('projections', () => parts.projections.status()),
  erasures: question('catalog', () => parts.catalog.pendingErasures(ERASURES_COUNTED)),
  searched: question('search', () => parts.search.position()),
  embedded: question('embedder', () => askEmbedder(parts.embedder, parts.providers.status())),
  embeddings: question('embeddings', () => embeddingStatus(parts)),
  publishing: question('publisher', () => parts.publishing.status()),
  webhooks: question('webhooks', async () => parts.webhooks?.status() ?? null),
  stored: question('artifacts', () => answered(parts.artifacts.check())),
  limits: question('rate limiter', () => answered(parts.rateLimiter.check())),
  room: question('staging', () => parts.staging.room()),
  unread: troubleOf('understanding', () => parts.understanding.trouble()),
  unworked: troubleOf('orchestrator', () => parts.orchestrator.trouble()),
  accounts: question('accounts', () => parts.accounts.position()),
  usage: question('usage', () => parts.usage.position()),
  work: question('work', () => parts.work.position()),
  batches: question('batches', () => parts.batches.position()),
  history: question('history', () => parts.history.position()),
})

async function readHealth(parts: HealthPorts, questions: Questions): Promise<Health> {
  const problems: string[] = []
  const { eventStore, rateLimiter, artifacts } = parts
  const providers = parts.providers.status()
  const elsewhere = parts.sentElsewhere?.troubles() ?? {}
  const [
    head,
    damaged,
    statuses,
    erasures,
    searched,
    embedded,
    embeddings,
    publishing,
    webhooks,
    stored,
    limits,
    room,
    unread,
    unworked,
    ...others
  ] = await Promise.all([
    questions.head(problems),
    questions.damaged(problems),
    questions.statuses(problems),
    questions.erasures(problems),
    questions.searched(problems),
    questions.embedded(problems),
    questions.embeddings(problems),
    questions.publishing(problems),
    questions.webhooks(problems),
    questions.stored(problems),
    questions.limits(problems),
    questions.room(problems),
    questions.unread(problems),
    questions.unworked(problems),
    questions.accounts(problems),
    questions.usage(problems),
    questions.work(problems),
    questions.batches(problems),
    questions.history(problems),
  ])
  const pending = embeddings ? embeddingProblems(embeddings) : []
  problems.push(...pending)
  const readModels = statuses ?? []
  problems.push(...providers.filter(isLeftAlone).map(problemOf))
  problems.push(...readModels.flatMap(problemsOf))
  if (publishing && publishing.trouble !== null) problems.push(`publisher: ${publishing.trouble}`)
  if (webhooks && webhooks.trouble !== null) problems.push(`webhooks: ${webhooks.trouble}`)
  for (const [part, trouble] of Object.entries(elsewhere))
    if (trouble !== null) problems.push(`${part}: ${trouble}`)
  const { waiting, trouble } = parts.background
  if (trouble !== null) problems.push(`owed work that is tried again (${waiting}): ${trouble}`)
  const isFull = room === null || isDiskFull(room)
  if (room && isFull) problems.push(fullDisk(room))
  const damages = (damaged ?? []).map(describeDamage)
  problems.push(...damages.map((damage) => `event store: ${damage}`))
  const refusing = eventStore.trouble()
  if (refusing !== null) problems.push(`event store: ${refusing}`)
  const isLogAway = head === null || refusing !== null
  const isStill = readModels.length === 0 || readModels.some(({ error }) => error !== null)
  const isUnread = erasures === null || others.includes(null)
  const clock = parts.clock.trouble?.() ?? null
  if (clock !== null) problems.push(`clock: ${clock}`)
  const limitations: Health['limitations'] = {
    ...(unread !== null && { reading: unread }),
    ...(unworked !== null && { workers: WAITING }),
    ...(isFull && { disk: FULL }),
    ...(clock !== null && { clock: WRONG_CLOCK }),
    ...(damages.length > 0 && { damage: damagesTold(damages) }),
  }
  const components = {
    api: stateOf(false, unread !== null || unworked !== null || isFull || clock !== null),
    storage: stateOf(isLogAway, isStill || isUnread || stored === null || isFull || damages.length > 0),
    search: stateOf(
      [embedded, embeddings, erasures, searched].includes(null) || providers.some(isEmbedderLeftAlone),
      isStill || pending.length > 0 || readModels.some(({ behind }) => behind > BEHIND),
    ),
    ...(artifacts.remote && { artifacts: stateOf(stored === null, false) }),
    ...(rateLimiter.remote && { limits: stateOf(false, limits === null) }),
    ...(elsewhere.publisher !== undefined && { publisher: stateOf(false, elsewhere.publisher !== null) }),
    ...(publishing && { publisher: publisherState(publishing) }),
    ...((webhooks?.trouble ?? elsewhere.webhooks) && { webhooks: stateOf(false, true) }),
  }
  const unwiped = readModels.reduce(
    (sum, { unwiped }) => sum + (unwiped.error ? Math.max(1, unwiped.removals) : 0),
    0,
  )
  return {
    status: isLogAway ? 'critical' : problems.length > 0 ? 'degraded' : 'operational',
    components,
    limitations,
    problems,
    readModels,
    providers,
    publishing,
    webhooks,
    pendingErasures: (erasures?.length ?? 0) + unwiped,
    room,
  }
}

function damagesTold(damages: readonly string[]): string {
  const more = damages.length - DAMAGES_TOLD
  const first = damages.slice(0, DAMAGES_TOLD)
  return [...first, ...(more > 0 ? [`${more} more streams are damaged`] : [])].join(', ')
}

const stateOf = (isAway: boolean, isPoor: boolean): ComponentState =>
  isAway ? 'unavailable' : isPoor ? 'degraded' : 'operational'

const answered = (check: Promise<void>): Promise<true> => check.then(() => true)

const publisherState = ({ stopped, trouble }: PublishingStatus): ComponentState =>
  stateOf(stopped, trouble !== null)

/** A model of a provider is known by its calls: to be asked it would want money, and perhaps a minute. */
const askEmbedder = async (embedder: Embedder, providers: readonly ProviderStatus[]): Promise<unknown> =>
  providers.some(({ use }) => use === 'embedding') || embedder.embed(['health'], { priority: 'query' })

const isEmbedderLeftAlone = (provider: ProviderStatus): boolean =>
  provider.use === 'embedding' && isLeftAlone(provider)

const isLeftAlone = ({ breaker }: ProviderStatus): boolean => breaker !== 'closed'

const problemOf = ({ use, model, trouble }: ProviderStatus): string =>
  `model provider of ${use} (${model}): ${trouble ?? 'it is being tried again'}`

function problemsOf({ name, error, behind, atLeast, unwiped }: ReadModelStatus): string[] {
  const problems: string[] = []
  if (error !== null) problems.push(`read model ${name}: ${error}`)
  else if (behind > BEHIND)
    problems.push(`read model ${name} is ${atLeast ? 'at least ' : ''}${behind} events behind`)
  if (unwiped.error !== null)
    problems.push(`read model ${name}: erased content is not wiped from its file yet: ${unwiped.error}`)
  return problems
}
