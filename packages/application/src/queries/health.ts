import type { ComponentState, Health } from '../application.ts'
import type { Dependencies } from '../dependencies.ts'
import { embeddingProblems, embeddingStatus } from '../embedding/status.ts'
import {
  describeDamage,
  fullDisk,
  type Embedder,
  type ProviderStatus,
  type PublishingStatus,
  type ReadModelStatus,
} from '../ports/index.ts'
import { unlessAway } from '../unless-away.ts'

/** A read model that far behind the log is called degraded. */
const BEHIND = 1_000
const ERASURES_COUNTED = 1_000
/** What it means for those who use the service that nobody carries their work. */
const WAITING = 'uploads are refused and batches wait until what carries them is back'

const DAMAGES_TOLD = 10

const FULL = 'uploads are refused until there is room on the disk again'

type Asked = Pick<
  Dependencies,
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
>

/**
 * As `readHealth`, once for all who ask while it is under way: readiness anybody may ask for, without a key, and each
 * answer costs every engine a request.
 */
export function createHealth(parts: Asked): () => Promise<Health> {
  let underWay: Promise<Health> | null = null
  return () => (underWay ??= readHealth(parts).finally(() => (underWay = null)))
}

/** How the parts are, each asked for a real answer. Never throws: a part that cannot be asked is unavailable. */
export async function readHealth(parts: Asked): Promise<Health> {
  const problems: string[] = []
  const ask = async <T>(part: string, question: () => Promise<T>): Promise<T | null> => {
    try {
      return await question()
    } catch (error) {
      problems.push(`${part}: ${(error as Error).message}`)
      return null
    }
  }
  const providers = parts.providers.status()
  const { eventStore, projections, catalog, search, accounts, usage, work, batches, history, embedder } =
    parts
  const { artifacts, rateLimiter, staging } = parts
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
    ask('event store', () => eventStore.head()),
    ask('event store', async () => (await unlessAway(eventStore.damaged())) ?? []),
    ask('projections', () => projections.status()),
    ask('catalog', () => catalog.pendingErasures(ERASURES_COUNTED)),
    ask('search', () => search.position()),
    ask('embedder', () => askEmbedder(embedder, providers)),
    ask('embeddings', () => embeddingStatus(parts)),
    ask('publisher', () => parts.publishing.status()),
    ask('webhooks', async () => parts.webhooks?.status() ?? null),
    ask('artifacts', () => answered(artifacts.check())),
    ask('rate limiter', () => answered(rateLimiter.check())),
    ask('staging', () => staging.room()),
    parts.understanding.trouble(),
    parts.orchestrator.trouble(),
    ask('accounts', () => accounts.position()),
    ask('usage', () => usage.position()),
    ask('work', () => work.position()),
    ask('batches', () => batches.position()),
    ask('history', () => history.position()),
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
  if (unread !== null) problems.push(`understanding: ${unread}`)
  if (unworked !== null) problems.push(`orchestrator: ${unworked}`)
  const { waiting, trouble } = parts.background
  if (trouble !== null) problems.push(`owed work that is tried again (${waiting}): ${trouble}`)
  const isFull = room === null || room.free < room.reserved
  if (room && isFull) problems.push(fullDisk(room))
  const damages = (damaged ?? []).map(describeDamage)
  problems.push(...damages.map((damage) => `event store: ${damage}`))
  const refusing = eventStore.trouble()
  if (refusing !== null) problems.push(`event store: ${refusing}`)
  const isLogAway = head === null || refusing !== null
  const isStill = readModels.length === 0 || readModels.some(({ error }) => error !== null)
  const isUnread = erasures === null || others.includes(null)
  const limitations = [unread, unworked && WAITING, isFull ? FULL : null].filter(
    (limitation) => limitation !== null,
  )
  const components = {
    api: stateOf(false, limitations.length > 0),
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
    limitation: [...limitations, ...damagesTold(damages)].join(', ') || null,
    problems,
    readModels,
    providers,
    publishing,
    webhooks,
    pendingErasures: (erasures?.length ?? 0) + unwiped,
    room,
  }
}

function damagesTold(damages: readonly string[]): string[] {
  const more = damages.length - DAMAGES_TOLD
  return [...damages.slice(0, DAMAGES_TOLD), ...(more > 0 ? [`${more} more streams are damaged`] : [])]
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
