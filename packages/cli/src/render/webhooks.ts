import type { Deliveries, Delivery, Webhook } from '../client/answers.ts'
import { localTime } from '../terminal/format.ts'
import type { Look } from '../terminal/look.ts'
import { pairs, table } from '../terminal/table.ts'
import { clean } from '../terminal/text.ts'

export function renderWebhooks(webhooks: readonly Webhook[], look: Look): string[] {
  if (webhooks.length === 0) return ['There is no webhook. Add one with `medialog webhooks add URL`.']
  return table(
    webhooks,
    [
      { title: 'WEBHOOK', value: ({ webhook_id: id }) => clean(id), paint: (_, { accent }) => accent },
      { title: 'STATE', value: stateOf, paint: (webhook, { good, bad }) => (isActive(webhook) ? good : bad) },
      { title: 'TYPES', value: typesOf, shrinks: 'end' },
      { title: 'URL', value: ({ url }) => clean(url), shrinks: 'end' },
    ],
    look,
  )
}

export function renderWebhook(webhook: Webhook, look: Look): string[] {
  const state = stateOf(webhook)
  return pairs(
    [
      ['webhook', look.accent(clean(webhook.webhook_id))],
      ['url', clean(webhook.url)],
      ['types', typesOf(webhook)],
      ['state', isActive(webhook) ? look.good(state) : look.bad(state)],
    ],
    look,
  )
}

/** `formerUntil`: until when the former one signs too. */
export const renderSecret = (secret: string, look: Look, formerUntil?: string): string[] => [
  look.bold(clean(secret)),
  look.dim('This is the only time that it is shown: the receiver verifies with it.'),
  ...(formerUntil ? [look.dim(`The former one signs too until ${localTime(formerUntil)}.`)] : []),
]

export function renderDeliveries({ deliveries, pagination }: Deliveries, look: Look): string[] {
  if (deliveries.length === 0) return ['There is no such delivery.']
  const { page, total_pages: pages, total_items: total } = pagination
  return [
    ...table(
      deliveries,
      [
        { title: 'DELIVERY', value: ({ delivery_id: id }) => clean(id), paint: (_, { accent }) => accent },
        { title: 'TYPE', value: ({ type }) => clean(type), shrinks: 'end' },
        {
          title: 'STATE',
          value: ({ status }) => clean(status),
          paint: ({ status }, { good, bad }) => (status === 'delivered' ? good : bad),
        },
        { title: 'CHANGED', value: ({ changed_at: at }) => localTime(at), drops: true },
        { title: 'LAST ANSWER', value: lastOf, shrinks: 'end' },
      ],
      look,
    ),
    look.dim(`Page ${page} of ${pages}, ${total} in all.${page < pages ? ` Next: --page ${page + 1}` : ''}`),
  ]
}

const isActive = ({ status }: Webhook): boolean => status === 'active'
const typesOf = ({ types }: Webhook): string => (types.length === 0 ? 'all' : types.map(clean).join(', '))

function stateOf({ status, disabled_reason: reason }: Webhook): string {
  return reason === null ? clean(status) : `${clean(status)}: ${clean(reason)}`
}

function lastOf({ attempts: [last], next_attempt_at: next }: Delivery): string {
  const said = last ? clean(last.error ?? String(last.status_code)) : 'not tried yet'
  return last && next ? `${said}; again ${localTime(next)}` : said
}
