import type { LogPosition, RecordedEvent, Uuid } from '@medialog/kernel'
import type { EventBatch } from '../ports/event-store.ts'
import { isInternal, publishedEvent, type PublishedEvent } from './published-event.ts'

/** An event of an account, made into what is published once for all who follow it. */
export class RecentEvent {
  readonly position: LogPosition
  /** Of its payload as JSON: some hundreds, or some ten thousands of a move of many items. */
  readonly length: number
  /** Null once it is not published any more. */
  recorded: RecordedEvent | null
  #published: PublishedEvent | null = null

  constructor(recorded: RecordedEvent) {
    this.position = recorded.position
    this.length = JSON.stringify(recorded.data).length
    this.recorded = recorded
  }

  /** Null for what stays inside. @throws UnreadableEvent */
  published(): PublishedEvent | null {
    if (this.recorded && !this.#published) this.#published = publishedEvent(this.recorded)
    return this.#published
  }

  erase(): void {
    this.recorded = null
    this.#published = null
  }
}

/** How many events, and how much of JSON in all. */
export interface Portion {
  events: number
  length: number
}

/** Kept of all accounts together: a few megabytes as a rule. */
const CAPACITY: Portion = { events: 4_096, length: 16 * 1024 * 1024 }

/**
 * What the log grew by last, by account: who keeps up with it reads from here, who falls behind what is kept reads the
 * log. Events that can concern no follower are not kept.
 */
export class RecentEvents {
  /** All that came after it is here. */
  from: LogPosition
  /** Up to where the log was followed. */
  position: LogPosition
  readonly #capacity: Portion
  readonly #ofAccount = new Map<Uuid, RecentEvent[]>()
  /** Whose each kept event is, in the order of the log. */
  readonly #order: Uuid[] = []
  /** Of all that is kept. */
  #length = 0

  constructor(from: LogPosition, capacity = CAPACITY) {
    this.from = from
    this.position = from
    this.#capacity = capacity
  }

  /** Answers the accounts that it has something new of. */
  add({ events, position }: EventBatch): Set<Uuid> {
    const accounts = new Set<Uuid>()
    for (const event of events) {
      const { accountId } = event.metadata
      if (accountId === undefined || !concernsFollowers(event)) continue
      accounts.add(accountId)
      this.#add(accountId, event)
    }
    this.#forget()
    this.position = Math.max(this.position, position)
    return accounts
  }

  /** The account's next events after a position that is not before `from`, in order; `isAll`: there are no more. */
  after(accountId: Uuid, position: LogPosition, most: Portion): { events: RecentEvent[]; isAll: boolean } {
    const kept = this.#ofAccount.get(accountId) ?? []
    const next = 1 + kept.findLastIndex((event) => event.position <= position)
    let end = next
    for (let length = 0; end < kept.length && end - next < most.events && length < most.length; end++)
      length += kept[end]!.length
    return { events: kept.slice(next, end), isAll: end === kept.length }
  }

  hasAfter(accountId: Uuid, position: LogPosition): boolean {
    const last = this.#ofAccount.get(accountId)?.at(-1)
    return last !== undefined && last.position > position
  }

  #add(accountId: Uuid, event: RecordedEvent): void {
    const events = this.#ofAccount.get(accountId) ?? []
    // What a deletion erases is not published any more, also before it is erased from the log.
    if (event.type === 'MediaDeleted')
      for (const earlier of events) if (earlier.recorded?.stream === event.stream) earlier.erase()
    const recent = new RecentEvent(event)
    events.push(recent)
    this.#ofAccount.set(accountId, events)
    this.#order.push(accountId)
    this.#length += recent.length
  }

  #forget(): void {
    while (this.#order.length > this.#capacity.events || this.#length > this.#capacity.length) {
      const accountId = this.#order.shift()!
      const events = this.#ofAccount.get(accountId)!
      const { position, length } = events.shift()!
      this.from = position
      this.#length -= length
      if (events.length === 0) this.#ofAccount.delete(accountId)
    }
  }
}

/** What is published, and what is about the account itself and its keys. */
export const concernsFollowers = (event: RecordedEvent): boolean =>
  isOfAccountItself(event) || !isInternal(event)

export const isOfAccountItself = ({ stream }: RecordedEvent): boolean => stream.startsWith('account-')
