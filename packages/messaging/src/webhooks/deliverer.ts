import { keepDoing } from '@medialog/application'
import type {
  Delivery,
  EventBatch,
  EventStore,
  WebhookChange,
  WebhookProgress,
  WebhooksStatus,
} from '@medialog/application/ports'
import { explain, type LogPosition, type Uuid } from '@medialog/kernel'
import { changeBy, isOfWebhooks } from './changes.ts'
import { Endpoint, type EndpointPorts } from './endpoint.ts'
import { Slots } from './slots.ts'

export interface DelivererOptions extends Omit<EndpointPorts, 'slots' | 'onAttempt'> {
  log: Pick<EventStore, 'eventAt' | 'read' | 'subscribe' | 'head'>
}

export interface RunningDeliverer {
  status(): Promise<WebhooksStatus>
  /** Cuts off what is under way: the next start sends it again. */
  close(): Promise<void>
}

/** Requests under way over all receivers, and over those of one account. */
const AT_ONCE = { most: 32, mostOfOne: 8, reserved: 8 }
/** The position is kept that often where nothing concerns webhooks. */
const UNSAVED_POSITIONS = 1_000
const DAY_MS = 24 * 60 * 60 * 1000
/** What arrived, or had to be left out, is shown for so long. */
const ENDED_KEPT_MS = 3 * DAY_MS
/** What was given up can be sent again for so long. */
const DEAD_KEPT_MS = 30 * DAY_MS
/** What decides whether an account is sent anything. */
const ACCOUNT_EVENTS: ReadonlySet<string> = new Set([
  'AccountSuspended',
  'AccountReinstated',
  'AccountClosed',
])
const SWEPT_EVERY_MS = 60 * 60 * 1000

/** Follows the events of webhooks in the log, and sends each active one its account's events. */
export function startDeliverer(options: DelivererOptions): RunningDeliverer {
  return new Deliverer(options)
}

class Deliverer implements RunningDeliverer {
  readonly #options: DelivererOptions
  readonly #stopping = new AbortController()
  readonly #endpoints = new Map<Uuid, { accountId: Uuid; endpoint: Endpoint }>()
  readonly #counts = { delivered: 0, failed: 0, dead: 0 }
  readonly #slots = new Slots(AT_ONCE)
  readonly #running: Promise<void>
  readonly #sweeping: NodeJS.Timeout
  #saved: LogPosition = 0
  #trouble: string | null = null

  constructor(options: DelivererOptions) {
    this.#options = options
    this.#running = this.#run()
    this.#sweeping = setInterval(() => void this.#sweep(), SWEPT_EVERY_MS)
    this.#sweeping.unref()
  }

  async status(): Promise<WebhooksStatus> {
    const { log, store } = this.#options
    const endpoints = [...this.#endpoints.values()].map(({ endpoint }) => endpoint)
    const [head, { pending }] = await Promise.all([log.head(), store.counts()])
    const furthest = Math.min(head, ...endpoints.map(({ cursor }) => cursor))
    const trouble = this.#trouble ?? endpoints.find(({ trouble }) => trouble !== null)?.trouble ?? null
    return { ...this.#counts, pending, behind: head - furthest, trouble }
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    clearInterval(this.#sweeping)
    await this.#running
    await this.#closeEndpoints([...this.#endpoints.keys()])
  }

  #run(): Promise<void> {
    const { background } = this.#options
    const { signal } = this.#stopping
    const onTrouble = (failure: unknown): void => {
      this.#trouble = failure === null ? null : explain(failure)
    }
    return keepDoing({ background, signal, onTrouble }, (onProgress) => this.#follow(signal, onProgress))
  }

  async #follow(signal: AbortSignal, onProgress: () => void): Promise<void> {
    const { log, store } = this.#options
    this.#saved = await store.position()
    const head = await log.head()
    if (this.#saved > head)
      throw new Error(`the log ends at position ${head}, but webhooks followed it up to ${this.#saved}`)
    for (const progress of await store.webhooks()) await this.#open(progress)
    for await (const batch of log.subscribe(this.#saved, { signal })) {
      await this.#apply(batch)
      onProgress()
    }
    if (!signal.aborted) throw new Error('the log was closed')
  }

  async #apply({ events, position }: EventBatch): Promise<void> {
    const { store } = this.#options
    const changes: WebhookChange[] = []
    const concerned = new Set<Uuid>()
    for (const event of events) {
      if (ACCOUNT_EVENTS.has(event.type)) {
        const added = changes.filter((change) => change.type === 'Add')
        for (const { webhookId, accountId } of [...(await store.webhooks()), ...added]) {
          if (accountId !== event.metadata.accountId) continue
          concerned.add(webhookId)
          if (event.type === 'AccountClosed') changes.push({ type: 'Remove', webhookId })
        }
      }
      if (!isOfWebhooks(event)) continue
      const concerning = changeBy(event)
      if (!concerning) continue
      concerned.add(concerning.webhookId)
      if (concerning.change) changes.push(concerning.change)
    }
    if (concerned.size === 0 && position - this.#saved < UNSAVED_POSITIONS) return
    await this.#closeEndpoints([...concerned])
    await store.apply(changes, position)
    this.#saved = position
    for (const webhookId of concerned) {
      const progress = await store.webhook(webhookId)
      if (progress) await this.#open(progress)
    }
  }

  /** As it is now, which may be later than what is being followed: then it is opened again. */
  async #open(progress: WebhookProgress): Promise<void> {
    const { webhookId, accountId } = progress
    if (this.#endpoints.has(webhookId)) return
    const { streams } = this.#options
    const { selected: webhook } = await streams.load('webhooks', accountId, (all) => all.get(webhookId))
    const { selected: status } = await streams.load('account', accountId, (account) => account.status)
    if (webhook?.state !== 'active' || status !== 'active' || this.#stopping.signal.aborted) return
    const onAttempt = (delivery: Delivery) => this.#count(delivery)
    const ports = { ...this.#options, slots: this.#slots, onAttempt }
    this.#endpoints.set(webhookId, { accountId, endpoint: new Endpoint(ports, webhook, progress) })
  }

  async #closeEndpoints(webhookIds: readonly Uuid[]): Promise<void> {
    await Promise.all(
      webhookIds.map(async (webhookId) => {
        await this.#endpoints.get(webhookId)?.endpoint.close()
        this.#endpoints.delete(webhookId)
      }),
    )
  }

  #count({ state, attempts }: Delivery): void {
    if (state === 'delivered') this.#counts.delivered++
    else if (attempts.length > 0 && state !== 'erased') this.#counts.failed++
    if (state === 'dead') this.#counts.dead++
  }

  async #sweep(): Promise<void> {
    const { store, clock } = this.#options
    try {
      await store.sweep(['delivered', 'erased'], clock.now() - ENDED_KEPT_MS)
      await store.sweep(['dead'], clock.now() - DEAD_KEPT_MS)
    } catch (error) {
      this.#trouble = explain(error)
    }
  }
}
