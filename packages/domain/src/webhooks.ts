import { AccountIsClosed } from './account.ts'
import { DomainError, type Decider, type LogPosition, type Uuid } from '@medialog/kernel'

/** Why events are no longer sent: the receiver said that it is gone for good, or nothing arrived there for days. */
export const WEBHOOK_DISABLED_REASONS = ['gone', 'failing'] as const
export type WebhookDisabledReason = (typeof WEBHOOK_DISABLED_REASONS)[number]

export const DELIVERY_STATES = ['pending', 'delivered', 'dead', 'erased'] as const
/** `dead`: given up. `erased`: it was taken out of the log before it arrived. */
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** Where to, and which events: types by their names, none for all. */
export interface WebhookTarget {
  url: string
  types: string[]
}

/**
 * Stream `webhooks-<account>`. Times are milliseconds since the epoch. What requests are signed with is made of
 * `secretId` and a key that is in no log.
 */
export type WebhooksEvent =
  | ({
      type: 'WebhookAdded'
      accountId: Uuid
      webhookId: Uuid
      secretId: Uuid
      at: number
    } & WebhookTarget)
  | ({ type: 'WebhookChanged'; webhookId: Uuid; at: number } & WebhookTarget)
  | { type: 'WebhookPaused'; webhookId: Uuid; at: number }
  | { type: 'WebhookResumed'; webhookId: Uuid; at: number }
  | { type: 'WebhookDisabled'; webhookId: Uuid; reason: WebhookDisabledReason; at: number }
  /** The old secret signs beside the new one until `oldValidUntil`. */
  | { type: 'WebhookSecretRotated'; webhookId: Uuid; secretId: Uuid; oldValidUntil: number; at: number }
  /** All events after that position are sent again. */
  | { type: 'WebhookRewound'; webhookId: Uuid; after: LogPosition; at: number }
  /** This event itself is sent. */
  | { type: 'WebhookTested'; webhookId: Uuid; at: number }
  /** One event is sent again: by its id. */
  | { type: 'DeliveryResent'; webhookId: Uuid; eventId: Uuid; at: number }
  | { type: 'WebhookRemoved'; webhookId: Uuid; at: number }
  /** All before goes, with the addresses. */
  | { type: 'WebhooksErased'; accountId: Uuid; at: number }

export type WebhooksCommand =
  | ({
      type: 'AddWebhook'
      accountId: Uuid
      webhookId: Uuid
      secretId: Uuid
      /** How many the account may have. */
      most: number
      at: number
    } & WebhookTarget)
  /** What is not named stays. A webhook that was disabled is active again after `paused: false`. */
  | { type: 'ChangeWebhook'; webhookId: Uuid; url?: string; types?: string[]; paused?: boolean; at: number }
  | { type: 'DisableWebhook'; webhookId: Uuid; reason: WebhookDisabledReason; at: number }
  | { type: 'RotateWebhookSecret'; webhookId: Uuid; secretId: Uuid; oldValidUntil: number; at: number }
  | { type: 'RewindWebhook'; webhookId: Uuid; after: LogPosition; at: number }
  | { type: 'TestWebhook'; webhookId: Uuid; at: number }
  | { type: 'ResendDelivery'; webhookId: Uuid; eventId: Uuid; at: number }
  | { type: 'RemoveWebhook'; webhookId: Uuid; at: number }
  /** Once the account is closed. */
  | { type: 'EraseWebhooks'; accountId: Uuid; at: number }

export interface Webhook extends WebhookTarget {
  webhookId: Uuid
  state: 'active' | 'paused' | 'disabled'
  /** Of one that is disabled. */
  reason: WebhookDisabledReason | null
  /** The newest first; of the older one, until when it signs too. */
  secrets: { secretId: Uuid; validUntil: number | null }[]
  addedAt: number
  changedAt: number
}

/** In the order in which they were added. `erased`: with the account, and there will be none again. */
export type Webhooks = Map<Uuid, Webhook> & { erased?: true }

/** There is no such webhook, or it is another account's. */
export class WebhookNotFound extends DomainError {
  constructor() {
    super('RESOURCE_NOT_FOUND', 'There is no such webhook.', { resource_type: 'webhook' })
  }
}

export class TooManyWebhooks extends DomainError {
  constructor(most: number) {
    super('WEBHOOK_LIMIT_REACHED', `The account has ${most} webhooks, and may have no more: remove one.`, {
      limit: most,
    })
  }
}

export class WebhookNotActive extends DomainError {
  constructor(state: Webhook['state']) {
    super('WEBHOOK_NOT_ACTIVE', `The webhook is ${state}: nothing is sent until it is resumed.`, { state })
  }
}

export const webhooks: Decider<WebhooksCommand, WebhooksEvent, Webhooks> = {
  initialState: () => new Map(),

  evolve(state, event) {
    if (event.type === 'WebhooksErased') return Object.assign(new Map(), { erased: true as const })
    const { webhookId, at } = event
    if (event.type === 'WebhookAdded') {
      const { url, types, secretId } = event
      return state.set(webhookId, {
        webhookId,
        url,
        types,
        state: 'active',
        reason: null,
        secrets: [{ secretId, validUntil: null }],
        addedAt: at,
        changedAt: at,
      })
    }
    if (event.type === 'WebhookRemoved') {
      state.delete(webhookId)
      return state
    }
    const webhook = state.get(webhookId)!
    const change = changeBy(event, webhook)
    return change ? state.set(webhookId, { ...webhook, ...change, changedAt: at }) : state
  },

  decide(command, state) {
    if (command.type === 'EraseWebhooks') return state.erased ? [] : [{ ...command, type: 'WebhooksErased' }]
    const { webhookId, at } = command
    const webhook = state.get(webhookId)
    if (command.type === 'AddWebhook') {
      const { most, ...added } = command
      if (state.erased) throw new AccountIsClosed()
      if (webhook) return []
      if (state.size >= most) throw new TooManyWebhooks(most)
      return [{ ...added, type: 'WebhookAdded' }]
    }
    if (!webhook) throw new WebhookNotFound()
    switch (command.type) {
      case 'ChangeWebhook':
        return changes(command, webhook)
      case 'DisableWebhook':
        return webhook.state === 'active' ? [{ ...command, type: 'WebhookDisabled' }] : []
      case 'RotateWebhookSecret':
        return webhook.secrets[0]!.secretId === command.secretId
          ? []
          : [{ ...command, type: 'WebhookSecretRotated' }]
      case 'RewindWebhook':
        return [{ ...command, type: 'WebhookRewound' }]
      case 'TestWebhook':
        if (webhook.state !== 'active') throw new WebhookNotActive(webhook.state)
        return [{ ...command, type: 'WebhookTested' }]
      case 'ResendDelivery':
        if (webhook.state !== 'active') throw new WebhookNotActive(webhook.state)
        return [{ ...command, type: 'DeliveryResent' }]
      case 'RemoveWebhook':
        return [{ type: 'WebhookRemoved', webhookId, at }]
    }
  },
}

type Changing = Exclude<WebhooksEvent, { type: 'WebhookAdded' | 'WebhookRemoved' | 'WebhooksErased' }>

/** What of the webhook is another one after the event; null: nothing is. */
function changeBy(event: Changing, { secrets }: Webhook): Partial<Webhook> | null {
  switch (event.type) {
    case 'WebhookChanged':
      return { url: event.url, types: event.types }
    case 'WebhookPaused':
      return { state: 'paused', reason: null }
    case 'WebhookResumed':
      return { state: 'active', reason: null }
    case 'WebhookDisabled':
      return { state: 'disabled', reason: event.reason }
    case 'WebhookSecretRotated': {
      const { secretId, oldValidUntil } = event
      return {
        secrets: [
          { secretId, validUntil: null },
          { secretId: secrets[0]!.secretId, validUntil: oldValidUntil },
        ],
      }
    }
    case 'WebhookRewound':
    case 'WebhookTested':
    case 'DeliveryResent':
      return null
  }
}

function changes(
  { webhookId, url, types, paused, at }: Extract<WebhooksCommand, { type: 'ChangeWebhook' }>,
  webhook: Webhook,
): WebhooksEvent[] {
  const events: WebhooksEvent[] = []
  const target = { url: url ?? webhook.url, types: types ?? webhook.types }
  if (target.url !== webhook.url || !isSame(target.types, webhook.types))
    events.push({ type: 'WebhookChanged', webhookId, ...target, at })
  if (paused === true && webhook.state !== 'paused') events.push({ type: 'WebhookPaused', webhookId, at })
  if (paused === false && webhook.state !== 'active') events.push({ type: 'WebhookResumed', webhookId, at })
  return events
}

const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((type, index) => type === others[index])
