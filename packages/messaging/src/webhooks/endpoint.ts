import { keepDoing, type AccountEvents, type Background, type Streams } from '@medialog/application'
import { SYSTEM } from '@medialog/application'
import type { Delivery, EventStore, WebhookProgress, WebhookStore } from '@medialog/application/ports'
import type { Webhook, WebhookDisabledReason } from '@medialog/domain'
import { explain, type Clock, type LogPosition, type StreamName, type Uuid } from '@medialog/kernel'
import { bodyOf } from './payload.ts'
import { attempted, type RetrySettings } from './retries.ts'
import type { Sender } from './sender.ts'
import { signedHeaders } from './signature.ts'
import type { Slots } from './slots.ts'

export interface EndpointPorts {
  log: Pick<EventStore, 'eventAt' | 'read'>
  accountEvents: Pick<AccountEvents, 'follow'>
  streams: Streams
  store: WebhookStore
  sender: Sender
  slots: Slots
  background: Pick<Background, 'pause'>
  clock: Clock
  secretOf: (secretId: Uuid) => string
  retries: RetrySettings
  onAttempt: (delivery: Delivery) => void
}

/** Requests to one receiver at once, each of another stream. */
const AT_ONCE = 4
/** One that failed so often in a row is asked for one thing at a time. */
const FAILURES_UNTIL_ONE = 3
/** So many wait in the store at most: the log has the rest. */
const MOST_PENDING = 1_000
/** The position is kept that often where nothing is to be sent. */
const UNSAVED_POSITIONS = 1_000
/** The engines of the service are unavailable, not the receiver. */
const PAUSE_OF_OWN_MS = 5_000
/** Timers take no more. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * Sends one webhook its events: those of one stream one after the other, streams beside each other. What is to be sent is
 * kept in the store first, with how far the account's events were followed; its outcome, after each attempt.
 */
export class Endpoint {
  readonly #ports: EndpointPorts
  readonly #webhook: Webhook
  readonly #accountId: Uuid
  readonly #stopping = new AbortController()
  /** In the order of the log. */
  readonly #pending: Delivery[] = []
  /** What waited at the start: where it was kept and the position was not, it comes again. */
  #known: ReadonlySet<Uuid> | null = null
  readonly #atWork = new Map<StreamName, Promise<void>>()
  readonly #running: Promise<void>
  #room = Promise.withResolvers<void>()
  #cursor: LogPosition
  #saved: LogPosition
  #arrivedAt: number
  #failures = 0
  /** It is being disabled. */
  #isOver = false
  /** The receiver wants to be left alone until then. */
  #notBefore = 0
  #timer: NodeJS.Timeout | undefined
  #trouble: string | null = null
  readonly #pump = () => this.#send()

  constructor(ports: EndpointPorts, webhook: Webhook, { accountId, cursor, arrivedAt }: WebhookProgress) {
    this.#ports = ports
    this.#webhook = webhook
    this.#accountId = accountId
    this.#cursor = cursor
    this.#saved = cursor
    this.#arrivedAt = arrivedAt ?? 0
    this.#running = this.#run()
  }

  /** Up to where the account's events were followed. */
  get cursor(): LogPosition {
    return this.#cursor
  }

  /** Why it stands still for a reason of the service's own; null: it does not. */
  get trouble(): string | null {
    return this.#trouble
  }

  /** Cuts off what is under way: it is sent again by the next one. */
  async close(): Promise<void> {
    this.#stopping.abort()
    clearTimeout(this.#timer)
    this.#ports.slots.forget(this.#pump)
    this.#room.resolve()
    await Promise.all([this.#running, ...this.#atWork.values()])
  }

  #run(): Promise<void> {
    const { background } = this.#ports
    const { signal } = this.#stopping
    const onTrouble = (failure: unknown): void => {
      this.#trouble = failure === null ? null : explain(failure)
    }
    return keepDoing({ background, signal, onTrouble }, (onProgress) => this.#follow(signal, onProgress))
  }

  async #follow(signal: AbortSignal, onProgress: () => void): Promise<void> {
    const { store, accountEvents, clock } = this.#ports
    const { webhookId, types } = this.#webhook
    const known = (this.#known ??= await this.#load())
    const wanted = types.length > 0 ? { types: new Set(types) } : {}
    for await (const batch of accountEvents.follow(this.#accountId, this.#cursor, { ...wanted, signal })) {
      await this.#hasRoom()
      if (signal.aborted) break
      const at = clock.now()
      // One of those that waited may have arrived by now: kept again, it would wait again.
      const events = batch.events
        .map(({ position, published: { attributes } }) => ({
          eventId: attributes.id,
          position,
          stream: attributes.subject as StreamName,
          eventType: attributes.type.slice(attributes.type.indexOf('.') + 1),
        }))
        .filter(({ eventId }) => !known.has(eventId))
      if (batch.events.length > 0 || batch.position - this.#saved >= UNSAVED_POSITIONS) {
        await store.enqueue(webhookId, events, { cursor: batch.position, at })
        this.#saved = batch.position
      }
      this.#cursor = batch.position
      onProgress()
      const fresh = { state: 'pending', since: at, tries: 0, dueAt: at, changedAt: at } as const
      for (const event of events) this.#pending.push({ ...event, ...fresh, attempts: [] })
      this.#send()
    }
    if (this.#saved < this.#cursor)
      await store.enqueue(webhookId, [], { cursor: this.#cursor, at: clock.now() })
    if (!signal.aborted) throw new Error('the events of the account ended')
  }

  async #load(): Promise<ReadonlySet<Uuid>> {
    const waiting = await this.#ports.store.pending(this.#webhook.webhookId)
    this.#pending.push(...waiting)
    this.#send()
    return new Set(waiting.map(({ eventId }) => eventId))
  }

  async #hasRoom(): Promise<void> {
    while (this.#pending.length >= MOST_PENDING && !this.#stopping.signal.aborted) await this.#room.promise
  }

  /** Begins whatever is due, as far as it may, and comes again when the next is. */
  #send(): void {
    clearTimeout(this.#timer)
    if (this.#stopping.signal.aborted || this.#isOver) return
    const now = this.#ports.clock.now()
    const most = this.#failures >= FAILURES_UNTIL_ONE ? 1 : AT_ONCE
    const passed = new Set(this.#atWork.keys())
    let next = Infinity
    for (const delivery of this.#pending) {
      if (this.#atWork.size >= most) return
      if (passed.has(delivery.stream)) continue
      passed.add(delivery.stream)
      const dueAt = Math.max(delivery.dueAt, this.#notBefore)
      if (dueAt > now) next = Math.min(next, dueAt)
      else if (this.#ports.slots.take(this.#accountId, this.#pump)) this.#begin(delivery)
      else return
    }
    if (next === Infinity) return
    this.#timer = setTimeout(this.#pump, Math.min(next - now, LONGEST_TIMER_MS))
    this.#timer.unref()
  }

  #begin(delivery: Delivery): void {
    const began = performance.now()
    const work = this.#attempt(delivery).finally(() => {
      this.#atWork.delete(delivery.stream)
      this.#ports.slots.give(this.#accountId, performance.now() - began)
      this.#send()
    })
    this.#atWork.set(delivery.stream, work)
  }

  async #attempt(delivery: Delivery): Promise<void> {
    const { signal } = this.#stopping
    try {
      const after = await this.#tryOnce(delivery, signal)
      await this.#ports.store.record(this.#webhook.webhookId, after)
      this.#ports.onAttempt(after)
      this.#settle(delivery, after)
      const status = after.attempts[0]?.status
      if (after.state !== 'delivered' && status === GONE) await this.#disable('gone')
      else if (after.state === 'dead' && this.#arrivedAt < after.since) await this.#disable('failing')
      this.#trouble = null
    } catch (error) {
      if (signal.aborted) return
      this.#isOver = false
      this.#trouble = explain(error)
      delivery.dueAt = this.#ports.clock.now() + PAUSE_OF_OWN_MS
    }
  }

  async #tryOnce(delivery: Delivery, signal: AbortSignal): Promise<Delivery> {
    const { log, sender, clock, secretOf, retries } = this.#ports
    const at = clock.now()
    const body = await bodyOf(log, delivery)
    if (body === null) return { ...delivery, state: 'erased', changedAt: at }
    const { url, secrets } = this.#webhook
    const valid = secrets.filter(({ validUntil }) => validUntil === null || validUntil > at)
    const signed = signedHeaders(
      valid.map(({ secretId }) => secretOf(secretId)),
      { id: delivery.eventId, at, body },
    )
    const outcome = await sender.send(new URL(url), { headers: signed, body }, signal)
    const now = clock.now()
    if (outcome.error === null) {
      this.#failures = 0
      this.#notBefore = 0
      this.#arrivedAt = now
    } else this.#failures++
    const after = attempted(delivery, outcome, { at, now, random: Math.random(), settings: retries })
    if (outcome.retryAfterMs !== null && after.state === 'pending') this.#notBefore = after.dueAt
    return after
  }

  #settle(before: Delivery, after: Delivery): void {
    const index = this.#pending.indexOf(before)
    if (after.state === 'pending') this.#pending[index] = after
    else this.#pending.splice(index, 1)
    this.#room.resolve()
    this.#room = Promise.withResolvers()
  }

  /** The follower of the log receives it, and closes this. */
  async #disable(reason: WebhookDisabledReason): Promise<void> {
    const { streams, clock } = this.#ports
    const { webhookId } = this.#webhook
    this.#isOver = true
    await streams.execute(
      'webhooks',
      this.#accountId,
      { type: 'DisableWebhook', webhookId, reason, at: clock.now() },
      { ...SYSTEM, accountId: this.#accountId },
    )
  }
}

const GONE = 410
