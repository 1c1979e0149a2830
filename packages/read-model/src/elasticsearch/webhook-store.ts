import type { estypes } from '@elastic/elasticsearch'
import type {
  Delivery,
  DeliveryQuery,
  SentEvent,
  WebhookChange,
  WebhookProgress,
  WebhookStore,
} from '@medialog/application/ports'
import type { LogPosition, Uuid } from '@medialog/kernel'
import { isConflict, statusOf, unavailableWhenAway } from './connection.ts'
import { keyword, long } from './definition.ts'
import { lastingIndex } from './lasting-index.ts'
import { collected, everything, readPage, type Wanted } from './pages.ts'
import type { Query } from './query.ts'
import type { ReaderOptions } from './reader.ts'

interface DeliveryDocument extends Delivery {
  id: string
  kind: 'delivery'
  webhookId: Uuid
}

interface WebhookDocument extends WebhookProgress {
  id: string
  kind: 'webhook'
}

const IN_ORDER: Wanted['sort'] = [{ position: 'asc' }, { id: 'asc' }]
const LAST_CHANGED: Wanted['sort'] = [{ changedAt: 'desc' }, { position: 'desc' }]
const POSITION = 'position'
const TEST_EVENT = 'WebhookTested'
const isOf = (webhookId: Uuid): Query => ({ term: { webhookId } })
const isPending: Query = { term: { state: 'pending' } }
const isDelivery: Query = { term: { kind: 'delivery' } }

/**
 * Webhooks and their deliveries in one index, for one process that writes and any that read. What belongs together is written
 * one after the other, what is to be sent before how far that brings the webhook: after a cut it comes again.
 */
export function openElasticsearchWebhookStore({ client, prefix }: ReaderOptions): WebhookStore {
  const index = `${prefix}webhooks`
  const { make } = lastingIndex(client, index, {
    kind: keyword,
    webhookId: keyword,
    state: keyword,
    eventType: keyword,
    position: long,
    changedAt: long,
  })

  async function get<Document>(id: string): Promise<Document | null> {
    try {
      return (await client.get<Document>({ index, id }))._source!
    } catch (error) {
      if (statusOf(error) === 404) return null
      throw error
    }
  }

  /** Fields of a document that exists; none of one that does not. */
  async function update(id: string, doc: object): Promise<boolean> {
    try {
      await client.update({ index, id, doc, retry_on_conflict: 3 })
      return true
    } catch (error) {
      if (statusOf(error) === 404) return false
      throw error
    }
  }

  async function find<Document>(query: Query): Promise<Document[]> {
    await make()
    await client.indices.refresh({ index })
    return collected(everything<Document>(client, { index, query, sort: IN_ORDER }))
  }

  async function removeAll(query: Query): Promise<void> {
    await client.indices.refresh({ index })
    await client.deleteByQuery({ index, query, conflicts: 'proceed', refresh: true })
  }

  async function putAll(documents: readonly DeliveryDocument[]): Promise<void> {
    if (documents.length === 0) return
    const operations = documents.flatMap((document) => [{ index: { _id: document.id } }, document])
    const { errors, items } = await client.bulk({ index, operations })
    if (!errors) return
    const failed = items.find(({ index }) => index?.error)!.index!
    throw new Error(
      `Elasticsearch will not have ${failed._id}: ${failed.error!.type}: ${failed.error!.reason}`,
    )
  }

  async function pendingOf(webhookId: Uuid, ...more: Query[]): Promise<DeliveryDocument[]> {
    return find({ bool: { filter: [isDelivery, isOf(webhookId), isPending, ...more] } })
  }

  async function enqueue(webhookId: Uuid, events: readonly SentEvent[], at: number): Promise<void> {
    if (events.length === 0) return
    const ids = events.map(({ eventId }) => idOf(webhookId, eventId))
    const { docs } = await client.mget<DeliveryDocument>({ index, ids })
    const there = docs.map((doc) => ('found' in doc && doc.found ? doc._source! : null))
    const changed = events.map((event, number) => {
      const before = there[number]
      if (before?.state === 'pending') return []
      return asNew({ attempts: [], ...before, ...event }, webhookId, at)
    })
    await putAll(changed.flat())
  }

  async function apply(change: WebhookChange): Promise<void> {
    const { webhookId } = change
    switch (change.type) {
      case 'Add': {
        const { accountId, cursor } = change
        const document = { id: webhookId, kind: 'webhook', webhookId, accountId, cursor, arrivedAt: null }
        try {
          await client.create({ index, id: webhookId, document })
        } catch (error) {
          // It is there already.
          if (!isConflict(error)) throw error
        }
        return
      }
      case 'Remove':
        await client.delete({ index, id: webhookId }, { ignore: [404] })
        return removeAll(isOf(webhookId))
      case 'Rewind': {
        const after: Query = { range: { position: { gt: change.cursor } } }
        const waiting: estypes.QueryDslBoolQuery = {
          filter: [isDelivery, isOf(webhookId), isPending, after],
          must_not: [{ term: { eventType: TEST_EVENT } }],
        }
        await update(webhookId, { cursor: change.cursor })
        return removeAll({ bool: waiting })
      }
      case 'Deliver':
        return enqueue(webhookId, [change.event], change.at)
      case 'Resend': {
        const delivery = await get<DeliveryDocument>(idOf(webhookId, change.eventId))
        return delivery ? putAll([asNew(delivery, webhookId, change.at)]) : undefined
      }
      case 'Resume': {
        const waiting = await pendingOf(webhookId)
        return putAll(waiting.map((delivery) => asNew(delivery, webhookId, change.at)))
      }
    }
  }

  return unavailableWhenAway<WebhookStore>({
    async position() {
      await make()
      return (await get<{ reached: LogPosition }>(POSITION))?.reached ?? 0
    },

    async apply(changes, position) {
      await make()
      for (const change of changes) await apply(change)
      await client.index({ index, id: POSITION, document: { id: POSITION, reached: position } })
    },

    webhooks: async () => (await find<WebhookDocument>({ term: { kind: 'webhook' } })).map(progressOf),

    async webhook(webhookId) {
      await make()
      const found = await get<WebhookDocument>(webhookId)
      return found && progressOf(found)
    },

    async enqueue(webhookId, events, { cursor, at }) {
      await make()
      if ((await get(webhookId)) === null) return
      await enqueue(webhookId, events, at)
      await update(webhookId, { cursor })
    },

    pending: async (webhookId) => (await pendingOf(webhookId)).map(deliveryOf),

    async record(webhookId, delivery) {
      await make()
      const isThere = await update(idOf(webhookId, delivery.eventId), delivery)
      if (isThere && delivery.state === 'delivered')
        await update(webhookId, { arrivedAt: delivery.changedAt })
    },

    async delivery(webhookId, eventId) {
      await make()
      const found = await get<DeliveryDocument>(idOf(webhookId, eventId))
      return found && deliveryOf(found)
    },

    async deliveries(webhookId, { state, offset, limit }: DeliveryQuery) {
      await make()
      await client.indices.refresh({ index })
      const filter = [isDelivery, isOf(webhookId), ...(state === undefined ? [] : [{ term: { state } }])]
      const wanted = { index, query: { bool: { filter } }, sort: LAST_CHANGED }
      const { documents, total } = await readPage<DeliveryDocument>(client, wanted, { offset, limit })
      return { deliveries: documents.map(deliveryOf), total }
    },

    async counts() {
      await make()
      await client.indices.refresh({ index })
      const count = async (state: string) => (await client.count({ index, query: { term: { state } } })).count
      const [pending, dead] = await Promise.all([count('pending'), count('dead')])
      return { pending, dead }
    },

    async sweep(states, before) {
      await make()
      const ended = { terms: { state: [...states] } }
      await removeAll({ bool: { filter: [isDelivery, ended, { range: { changedAt: { lt: before } } }] } })
    },

    close: async () => undefined,
  })
}

const idOf = (webhookId: Uuid, eventId: Uuid): string => `${webhookId}/${eventId}`

const asNew = (
  delivery: SentEvent & Pick<Delivery, 'attempts'>,
  webhookId: Uuid,
  at: number,
): DeliveryDocument => ({
  ...delivery,
  id: idOf(webhookId, delivery.eventId),
  kind: 'delivery',
  webhookId,
  state: 'pending',
  since: at,
  tries: 0,
  dueAt: at,
  changedAt: at,
})

function progressOf(document: WebhookDocument): WebhookProgress {
  const { id: _, kind: __, ...progress } = document
  return progress
}

function deliveryOf(document: DeliveryDocument): Delivery {
  const { id: _, kind: __, webhookId: ___, ...delivery } = document
  return delivery
}
