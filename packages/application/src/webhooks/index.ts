import { WebhookNotFound, type DeliveryState, type Webhook } from '@medialog/domain'
import { UUID_PATTERN, webhookId as webhookIds, type LogPosition, type Uuid } from '@medialog/kernel'
import type { RequestContext } from '../core/context.ts'
import { DeliveriesWaiting, DeliveryNotFound, InvalidInput } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import { originOf } from '../core/origin.ts'
import type { Ports } from '../core/ports.ts'
import type { Written } from '../core/written.ts'
import type { CommandOf } from '../event-sourcing/streams.ts'
import { requireReached } from '../feed/follow-events.ts'
import { EngineUnavailable, type Webhooks, type Delivery, type WebhookProgress } from '../ports/index.ts'

export interface ShownWebhook {
  webhook: Webhook
  /** Null: it was added just now. */
  progress: WebhookProgress | null
  /** Deliveries that wait, and such as were given up on. */
  pending: number
  dead: number
}

/**
 * Where an account has its events sent to. Every method throws EngineUnavailable where webhooks are not configured, and
 * those that name one WebhookNotFound.
 */
export interface WebhookUseCases {
  /** The secret is shown now and never again. @throws InvalidInput, TooManyWebhooks */
  add(
    context: RequestContext,
    target: { url: string; types: string[] },
  ): Promise<Written<{ webhook: Webhook; secret: string }>>
  list(context: RequestContext): Promise<Webhook[]>
  read(context: RequestContext, id: string): Promise<ShownWebhook>
  /** What is not named stays. @throws InvalidInput */
  change(
    context: RequestContext,
    command: { id: string; url?: string; types?: string[]; paused?: boolean },
  ): Promise<Written<{ webhook: Webhook }>>
  remove(context: RequestContext, id: string): Promise<Written<object>>
  /** The former secret signs too until then: milliseconds since the epoch. */
  rotateSecret(
    context: RequestContext,
    id: string,
  ): Promise<Written<{ secret: string; oldValidUntil: number }>>
  /** All after that position is sent again. @throws InvalidInput where the log does not reach that far */
  rewind(
    context: RequestContext,
    command: { id: string; after: LogPosition },
  ): Promise<Written<{ webhook: Webhook }>>
  /** Has an event sent that says nothing. @throws WebhookNotActive */
  test(context: RequestContext, id: string): Promise<Written<{ eventId: Uuid }>>
  deliveries(
    context: RequestContext,
    query: { id: string; page: number; pageSize: number; state?: DeliveryState },
  ): Promise<{ deliveries: Delivery[]; total: number }>
  /** @throws DeliveryNotFound, WebhookNotActive */
  resend(
    context: RequestContext,
    command: { id: string; deliveryId: string },
  ): Promise<Written<{ eventId: Uuid }>>
}

/** For so long the secret before the last rotation signs beside the new one. */
const ROTATION_MS = 24 * 60 * 60 * 1000
/** Tests, and what is sent again, are not added to more: twice the limit for events. */
const MOST_PENDING = 2_000
/** When some of them may be gone. */
const PENDING_RETRY_SECONDS = 60

export type WebhookPorts = Pick<
  Ports,
  'webhooks' | 'streams' | 'clock' | 'settings' | 'eventStore' | 'projections'
>

/** An account's webhooks: each is a matter of its own stream, and read from it. */
export function webhooks(ports: WebhookPorts): WebhookUseCases {
  const { streams, clock, settings } = ports

  /** @throws EngineUnavailable */
  function configured(): Webhooks {
    if (ports.webhooks) return ports.webhooks
    throw new EngineUnavailable('webhooks', 'this process has no key that webhooks are signed with')
  }

  const load = async <T>({ principal }: RequestContext, select: (webhooks: Map<Uuid, Webhook>) => T) =>
    (await streams.load('webhooks', principal.accountId, select)).selected

  async function found(context: RequestContext, id: string): Promise<Webhook> {
    const webhookId = uuidOf(id)
    const webhook = await load(context, (webhooks) => webhooks.get(webhookId))
    if (!webhook) throw new WebhookNotFound()
    return webhook
  }

  async function change(
    context: RequestContext,
    command: Exclude<CommandOf<'webhooks'>, { type: 'EraseWebhooks' }>,
  ): Promise<{ webhook: Webhook | null; eventId: Uuid | null; position: LogPosition }> {
    const { accountId } = context.principal
    const { selected, events, position } = await streams.execute(
      'webhooks',
      accountId,
      command,
      originOf(context),
      {
        select: (webhooks) => webhooks.get(command.webhookId) ?? null,
      },
    )
    return { webhook: selected, eventId: events[0]?.id ?? null, position }
  }

  /** @throws InvalidInput */
  function requireTarget(url: string): void {
    const reason = configured().refusalOf(new URL(url))
    if (reason === null) return
    throw new InvalidInput('VALIDATION_ERROR', `url cannot be sent to: ${reason}.`, {
      parameter: 'url',
      reason,
    })
  }

  const countOf = async (webhookId: Uuid, state: DeliveryState): Promise<number> =>
    (await configured().store.deliveries(webhookId, { state, offset: 0, limit: 0 })).total

  /** @throws DeliveriesWaiting */
  async function requireRoom(webhookId: Uuid): Promise<void> {
    const pending = await countOf(webhookId, 'pending')
    if (pending >= MOST_PENDING) throw new DeliveriesWaiting(pending, MOST_PENDING, PENDING_RETRY_SECONDS)
  }

  return {
    async add(context, { url, types }) {
      requireTarget(url)
      const { accountId, tier } = context.principal
      const [webhookId, secretId] = [newId(), newId()]
      const { webhook, position } = await change(context, {
        type: 'AddWebhook',
        accountId,
        webhookId,
        secretId,
        url,
        types,
        most: settings.webhooks[tier],
        at: clock.now(),
      })
      return { webhook: webhook!, secret: configured().secretOf(secretId), position }
    },

    list: async (context) => {
      configured()
      return load(context, (webhooks) => [...webhooks.values()])
    },

    async read(context, id) {
      const { store } = configured()
      const webhook = await found(context, id)
      const { webhookId } = webhook
      const [progress, pending, dead] = await Promise.all([
        store.webhook(webhookId),
        countOf(webhookId, 'pending'),
        countOf(webhookId, 'dead'),
      ])
      return { webhook, progress, pending, dead }
    },

    async change(context, { id, url, types, paused }) {
      if (url !== undefined) requireTarget(url)
      const wanted = { ...(url !== undefined && { url }), ...(types && { types }) }
      const { webhook, position } = await change(context, {
        type: 'ChangeWebhook',
        webhookId: uuidOf(id),
        ...wanted,
        ...(paused !== undefined && { paused }),
        at: clock.now(),
      })
      return { webhook: webhook!, position }
    },

    async remove(context, id) {
      configured()
      const { position } = await change(context, {
        type: 'RemoveWebhook',
        webhookId: uuidOf(id),
        at: clock.now(),
      })
      return { position }
    },

    async rotateSecret(context, id) {
      const webhooks = configured()
      const secretId = newId()
      const at = clock.now()
      const oldValidUntil = at + ROTATION_MS
      const { position } = await change(context, {
        type: 'RotateWebhookSecret',
        webhookId: uuidOf(id),
        secretId,
        oldValidUntil,
        at,
      })
      return { secret: webhooks.secretOf(secretId), oldValidUntil, position }
    },

    async rewind(context, { id, after }) {
      configured()
      requireReached(after, await ports.eventStore.head())
      const { webhook, position } = await change(context, {
        type: 'RewindWebhook',
        webhookId: uuidOf(id),
        after,
        at: clock.now(),
      })
      return { webhook: webhook!, position }
    },

    async test(context, id) {
      configured()
      const { webhookId } = await found(context, id)
      await requireRoom(webhookId)
      const { eventId, position } = await change(context, {
        type: 'TestWebhook',
        webhookId,
        at: clock.now(),
      })
      return { eventId: eventId!, position }
    },

    async deliveries(context, { id, page, pageSize, state }) {
      const { store } = configured()
      const { webhookId } = await found(context, id)
      return store.deliveries(webhookId, {
        ...(state && { state }),
        offset: (page - 1) * pageSize,
        limit: pageSize,
      })
    },

    async resend(context, { id, deliveryId }) {
      const { store } = configured()
      const { webhookId } = await found(context, id)
      const delivery = UUID_PATTERN.test(deliveryId) ? await store.delivery(webhookId, deliveryId) : null
      if (!delivery) throw new DeliveryNotFound(deliveryId)
      await requireRoom(webhookId)
      const { position } = await change(context, {
        type: 'ResendDelivery',
        webhookId,
        eventId: delivery.eventId,
        at: clock.now(),
      })
      return { eventId: delivery.eventId, position }
    },
  }
}

/** @throws WebhookNotFound for what is no id of a webhook */
function uuidOf(id: string): Uuid {
  const uuid = webhookIds.parse(id)
  if (uuid === null) throw new WebhookNotFound()
  return uuid
}
