import type { DeliveryState } from '@medialog/domain'
import type { LogPosition, StreamName, Uuid } from '@medialog/kernel'

/** One request to a receiver. */
export interface DeliveryAttempt {
  /** Milliseconds since the epoch. */
  at: number
  tookMs: number
  /** What the receiver answered with; null: nothing. */
  status: number | null
  /** Why it did not arrive, for people; null: it did. */
  error: string | null
}

/** An event that is to be sent to a webhook: its position in the log, without its content. */
export interface SentEvent {
  eventId: Uuid
  position: LogPosition
  stream: StreamName
  eventType: string
}

export type EndedDelivery = Exclude<DeliveryState, 'pending'>

export interface Delivery extends SentEvent {
  state: DeliveryState
  /** When it was first to be sent, or was last asked for: milliseconds since the epoch. */
  since: number
  /** How often it was tried from then on. */
  tries: number
  /** When it is tried next. */
  dueAt: number
  /** When its state or attempts last changed. */
  changedAt: number
  /** The last ten at most, newest first. */
  attempts: DeliveryAttempt[]
}

/** How far the events of an account were handed to one of its webhooks. */
export interface WebhookProgress {
  webhookId: Uuid
  accountId: Uuid
  /** Events up to there have deliveries, where they are to have them. */
  cursor: LogPosition
  /** When something last arrived; null: nothing ever did. */
  arrivedAt: number | null
}

/** The events of webhooks that deliveries depend on. Applying one twice changes nothing more. */
export type WebhookChange =
  | { type: 'Add'; webhookId: Uuid; accountId: Uuid; cursor: LogPosition }
  /** With all its deliveries. */
  | { type: 'Remove'; webhookId: Uuid }
  /** What is pending behind `cursor` is forgotten: it comes again. Tests are not. */
  | { type: 'Rewind'; webhookId: Uuid; cursor: LogPosition }
  | { type: 'Deliver'; webhookId: Uuid; event: SentEvent; at: number }
  | { type: 'Resend'; webhookId: Uuid; eventId: Uuid; at: number }
  /** What is pending is due now, as if it were new. */
  | { type: 'Resume'; webhookId: Uuid; at: number }

/**
 * What is to be sent to webhooks, what was, and how far the log was followed for that. Kept over deaths of the process;
 * after a loss of power it may be at an earlier state, from which things are sent again. One process writes it.
 * Contract suite: `describeWebhookStoreContract` in packages/messaging. Every method throws EngineUnavailable.
 */
export interface WebhookStore {
  /** Up to where the log's changes of webhooks were applied. */
  position(): Promise<LogPosition>
  /** Changes and position land together, or come again. */
  apply(changes: readonly WebhookChange[], position: LogPosition): Promise<void>
  webhooks(): Promise<WebhookProgress[]>
  /** Null: no webhook has that id. */
  webhook(webhookId: Uuid): Promise<WebhookProgress | null>
  /** New deliveries, due at once, and how far that brings the webhook. One that had ended is pending again. */
  enqueue(
    webhookId: Uuid,
    events: readonly SentEvent[],
    to: { cursor: LogPosition; at: number },
  ): Promise<void>
  /** All that wait, in the order of the log. */
  pending(webhookId: Uuid): Promise<Delivery[]>
  /** How an attempt went; a delivery that is not there any more stays away. */
  record(webhookId: Uuid, delivery: Delivery): Promise<void>
  delivery(webhookId: Uuid, eventId: Uuid): Promise<Delivery | null>
  /** A page of them, those that changed last first. */
  deliveries(webhookId: Uuid, query: DeliveryQuery): Promise<{ deliveries: Delivery[]; total: number }>
  /** Of all webhooks: how many wait, and how many were given up on. */
  counts(): Promise<{ pending: number; dead: number }>
  /** Forgets what ended like that before that moment: milliseconds since the epoch. */
  sweep(states: readonly EndedDelivery[], before: number): Promise<void>
  close(): Promise<void>
}

export interface DeliveryQuery {
  state?: DeliveryState
  offset: number
  limit: number
}

export interface WebhooksStatus {
  /** Since the start. */
  delivered: number
  failed: number
  dead: number
  /** Deliveries that wait. */
  pending: number
  /** Positions between the log's end and the webhook that is furthest behind it. */
  behind: number
  /** Why nothing is sent at all, in words; null while sending works. An unavailable receiver does not count. */
  trouble: string | null
}

/** What requests to the outside need beside the log. */
export interface Webhooks {
  store: WebhookStore
  /** Why nothing may be sent there, for people; null: it may. Names are looked up when something is sent. */
  refusalOf(url: URL): string | null
  /** What its receiver verifies with: `whsec_` and 32 bytes in base64. */
  secretOf(secretId: Uuid): string
  /** Null: another process sends. */
  status(): Promise<WebhooksStatus | null>
}
