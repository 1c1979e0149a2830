import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Background } from '@medialog/application'
import { countAfter } from '@medialog/application/core/count-after'
import {
  PublisherSuperseded,
  type EventBatch,
  type EventPublisher,
  type EventStore,
  type PublishedMessage,
  type PublishedUpTo,
  type PublisherSession,
  type Publishing,
  type PublishingStatus,
} from '@medialog/application/ports'
import { BEGINNING, explain, type LogPosition, type RecordedEvent } from '@medialog/kernel'
import { toCloudEvent } from './cloud-event.ts'

/** Where nothing happens, the publisher is asked that often whether it is there. */
const ASKED_EVERY_MS = 5_000
/** What is under way at a stop is waited for that long; what is cut off, the next start finds published or not. */
const CLOSING_MS = 5_000
/** Counting what is behind is to cost little. */
const MOST_COUNTED = 1_000
/**
 * After a transaction so long is waited for what else comes, in milliseconds: each costs several round trips, however few events
 * it has, and the log of a busy service hands out a few every moment.
 */
const GATHERED_MS = 50
/** Nothing is waited for after so many: it does not keep up. */
const WORTH_A_TRANSACTION = 64
/** So many events are made into messages in one go: about a millisecond, then requests get their turn. */
const MADE_AT_ONCE = 64

export interface PublishingOptions {
  log: Pick<EventStore, 'read' | 'subscribe' | 'head'>
  publisher: EventPublisher
  /** Waits between tries, and reports failures. */
  background: Pick<Background, 'pause'>
  /** The `source` of the CloudEvents. */
  source: string
  /** Called when it needs the operator to continue. */
  onStopped: (error: PublisherSuperseded) => void
}

export interface RunningPublishing extends Publishing {
  status(): Promise<PublishingStatus>
  close(): Promise<void>
}

/**
 * Follows the log and publishes it, in the log's order, a transaction for each batch that the log hands out: what comes after
 * a silence is published at once, what follows it some events at a time, hundreds where it does not keep up. Whatever fails is shown and tried again, never passed over.
 */
export function startPublishing(options: PublishingOptions): RunningPublishing {
  return new Follower(options)
}

class Follower implements RunningPublishing {
  readonly #options: PublishingOptions
  readonly #stopping = new AbortController()
  readonly #running: Promise<void>
  #position: LogPosition | null = null
  #trouble: string | null = null
  #stopped = false
  /** Failures since something was published. */
  #attempts = 0
  /** Whether something is being tried, so that its outcome will tell whether the publisher is there. */
  #busy = true
  readonly #counts = { events: 0, transactions: 0, failures: 0 }

  constructor(options: PublishingOptions) {
    this.#options = options
    this.#running = Promise.all([this.#run(), this.#watch()]).then(() => undefined)
  }

  async status(): Promise<PublishingStatus> {
    const position = this.#position
    const behind =
      position === null ? null : (await countAfter(this.#options.log, position, MOST_COUNTED)).count
    return { position, behind, trouble: this.#trouble, stopped: this.#stopped, ...this.#counts }
  }

  check(): Promise<void> {
    return this.#options.publisher.ask()
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    const ended = this.#running.then(() => this.#options.publisher.close())
    await Promise.race([ended, sleep(CLOSING_MS, undefined, { ref: false })])
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted)
      try {
        await this.#follow(signal)
      } catch (error) {
        if (signal.aborted) return
        this.#busy = true
        this.#trouble = explain(error)
        this.#counts.failures++
        if (error instanceof PublisherSuperseded) {
          this.#stopped = true
          this.#options.onStopped(error)
          return
        }
        await this.#options.background.pause(error, this.#attempts++, signal)
      }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { log, publisher } = this.#options
    const session = await publisher.open()
    await requirePublishedLog(log, session.checkpoint)
    const from = session.checkpoint?.position ?? BEGINNING
    this.#position = from
    for await (const batch of log.subscribe(from, { signal })) {
      this.#busy = true
      const isPublished = await this.#publish(session, batch)
      this.#position = batch.position
      this.#trouble = null
      this.#attempts = 0
      this.#busy = false
      const isWorthIt = batch.events.length >= WORTH_A_TRANSACTION
      if (isPublished && !isWorthIt) await sleep(GATHERED_MS, undefined, { ref: false, signal })
    }
    if (!signal.aborted) throw new Error('the log was closed')
  }

  /** False where all of a batch stays inside: the checkpoint is left for the next one. */
  async #publish(session: PublisherSession, { events }: EventBatch): Promise<boolean> {
    const messages = await messagesOf(events, this.#options.source)
    if (messages.length === 0) return false
    const { position, stream, revision, hash } = events.at(-1)!
    await session.publish(messages, { position, stream, revision, hash })
    this.#counts.events += messages.length
    this.#counts.transactions++
    return true
  }

  /** That a publisher went away is to be known before there is something to publish. */
  async #watch(): Promise<void> {
    const { signal } = this.#stopping
    while (!this.#stopped && !signal.aborted) {
      await sleep(ASKED_EVERY_MS, undefined, { ref: false, signal }).catch(() => undefined)
      if (this.#busy || signal.aborted) continue
      const trouble = await this.#options.publisher.ask().then(() => null, explain)
      if (!this.#busy) this.#trouble = trouble
    }
  }
}

async function messagesOf(events: readonly RecordedEvent[], source: string): Promise<PublishedMessage[]> {
  const messages: PublishedMessage[] = []
  for (const [index, event] of events.entries()) {
    if (index % MADE_AT_ONCE === MADE_AT_ONCE - 1) await nextTurn()
    const message = toCloudEvent(event, source)
    if (message) messages.push(message)
  }
  return messages
}

/** @throws where the log is not the one that was published: its events were published with other content, or are yet to be published */
async function requirePublishedLog(
  log: PublishingOptions['log'],
  checkpoint: PublishedUpTo | null,
): Promise<void> {
  if (checkpoint === null) return
  const { position, stream, revision, hash } = checkpoint
  const head = await log.head()
  if (position > head)
    throw new Error(`the log ends at position ${head}, but it was published up to ${position}`)
  for await (const event of log.read(stream, { from: revision, limit: 1 }))
    // One that was erased since has no hash left to compare: what follows it in its stream is read instead.
    if (event.revision > revision || event.hash === hash) return
  throw new Error(
    `the log is another one than was published: ${stream} holds another revision ${revision}, or none`,
  )
}
