import { routes } from '@medialog/contract/http'
import { BEGINNING, counted, isoTime, type LogPosition } from '@medialog/kernel'
import { requireCapability } from '../admission.ts'
import { requestContext, type EdgeContext } from '../exchange.ts'
import type { HttpOptionsOf } from '../options.ts'
import { ABOUT_OLD_POSITIONS, type Positions } from '../position.ts'
import { invalid } from '../request/issues.ts'
import { written, type Handlers } from '../route.ts'
import { paginationOf } from '../views/pagination.ts'
import { deliveryView, progressView, webhookView } from '../views/webhooks.ts'

type WebhookHandlers = Handlers<
  | 'addWebhook'
  | 'listWebhooks'
  | 'readWebhook'
  | 'changeWebhook'
  | 'removeWebhook'
  | 'rotateWebhookSecret'
  | 'replayWebhook'
  | 'testWebhook'
  | 'listDeliveries'
  | 'resendDelivery'
>

export function webhookHandlers(
  { application: { webhooks }, clock }: HttpOptionsOf<'webhooks'>,
  positions: Positions,
): WebhookHandlers {
  const now = () => ({ timestamp: isoTime(clock.now()) })
  const sealing =
    ({ state }: EdgeContext) =>
    (position: LogPosition): string =>
      positions.seal(state.exchange.principal!.accountId, position)

  return {
    async addWebhook({ ctx, body: { url, types = [] } }) {
      // A key that may not read events must not have them sent.
      requireCapability(ctx, 'read')
      const context = requestContext(ctx.state.exchange)
      const { webhook, secret } = written(
        ctx,
        await webhooks.add(context, { url, types: [...new Set(types)] }),
      )
      return {
        message: 'The webhook was added. Keep its secret: it is not shown again.',
        data: { webhook: webhookView(webhook), secret },
        ...now(),
      }
    },

    async listWebhooks({ ctx }) {
      const found = await webhooks.list(requestContext(ctx.state.exchange))
      return {
        message: `${counted(found.length, 'webhook')}.`,
        data: { webhooks: found.map(webhookView) },
        ...now(),
      }
    },

    async readWebhook({ ctx, params }) {
      const shown = await webhooks.read(requestContext(ctx.state.exchange), params.webhook_id)
      return {
        message: `The webhook is ${shown.webhook.state}.`,
        data: progressView(shown, sealing(ctx)),
        ...now(),
      }
    },

    async changeWebhook({ ctx, params, body: { url, types, paused } }) {
      requireCapability(ctx, 'read')
      const { webhook } = written(
        ctx,
        await webhooks.change(requestContext(ctx.state.exchange), {
          id: params.webhook_id,
          ...(url !== undefined && { url }),
          ...(types && { types: [...new Set(types)] }),
          ...(paused !== undefined && { paused }),
        }),
      )
      return { message: `The webhook is ${webhook.state}.`, data: webhookView(webhook), ...now() }
    },

    async removeWebhook({ ctx, params: { webhook_id } }) {
      written(ctx, await webhooks.remove(requestContext(ctx.state.exchange), webhook_id))
      return { message: 'The webhook was removed.', data: { webhook_id }, ...now() }
    },

    async rotateWebhookSecret({ ctx, params: { webhook_id } }) {
      // A client with the secret can write messages that the receiver takes for Medialog's.
      requireCapability(ctx, 'read')
      const { secret, oldValidUntil } = written(
        ctx,
        await webhooks.rotateSecret(requestContext(ctx.state.exchange), webhook_id),
      )
      return {
        message: 'Messages are signed with the new secret, and for a day with the former one too.',
        data: { webhook_id, secret, former_valid_until: isoTime(oldValidUntil) },
        ...now(),
      }
    },

    async replayWebhook({ ctx, params, body: { after } }) {
      const { accountId } = ctx.state.exchange.principal!
      const position = after === 'beginning' ? BEGINNING : positions.open(accountId, after)
      if (position === null)
        throw invalid(
          routes.replayWebhook,
          'after',
          `must be a position that this account was given, or 'beginning'. ${ABOUT_OLD_POSITIONS}`,
        )
      const { webhook } = written(
        ctx,
        await webhooks.rewind(requestContext(ctx.state.exchange), { id: params.webhook_id, after: position }),
      )
      return { message: 'What came after that position is sent again.', data: webhookView(webhook), ...now() }
    },

    async testWebhook({ ctx, params: { webhook_id } }) {
      const { eventId } = written(ctx, await webhooks.test(requestContext(ctx.state.exchange), webhook_id))
      return {
        message: 'A test event is being sent: its delivery shows the result.',
        data: { webhook_id, delivery_id: eventId },
        ...now(),
      }
    },

    async listDeliveries({ ctx, params, query: { page, page_size: pageSize, status } }) {
      const { deliveries, total } = await webhooks.deliveries(requestContext(ctx.state.exchange), {
        id: params.webhook_id,
        page,
        pageSize,
        ...(status && { state: status }),
      })
      const seal = sealing(ctx)
      return {
        message: `${counted(total, 'delivery', 'deliveries')}.`,
        data: {
          deliveries: deliveries.map((delivery) => deliveryView(delivery, seal)),
          pagination: paginationOf({ page, pageSize }, total),
        },
        ...now(),
      }
    },

    async resendDelivery({ ctx, params: { webhook_id, delivery_id } }) {
      const { eventId } = written(
        ctx,
        await webhooks.resend(requestContext(ctx.state.exchange), {
          id: webhook_id,
          deliveryId: delivery_id,
        }),
      )
      return {
        message: 'The event is being sent again.',
        data: { webhook_id, delivery_id: eventId },
        ...now(),
      }
    },
  }
}
