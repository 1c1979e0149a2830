import { join } from 'node:path'
import {
  createBackground,
  createStreams,
  newId,
  startAccountEvents,
  SYSTEM,
  type CommandOf,
} from '@medialog/application'
import type { Delivery, WebhookStore } from '@medialog/application/ports'
import type { DomainEvent } from '@medialog/domain'
import { systemClock, type NewEvent, type StreamName, type Uuid } from '@medialog/kernel'
import { startDeliverer, type RunningDeliverer } from '../webhooks/deliverer.ts'
import { createSender, type Sender } from '../webhooks/sender.ts'
import { secretOf } from '../webhooks/signature.ts'
import { openSqliteWebhookStore } from '../webhooks/sqlite-store.ts'
import { createTargets } from '../webhooks/targets.ts'
import { append, newEvent, openLog } from './log.ts'

const KEY = 'a key of a test, which is long enough'
const TARGETS = createTargets({ plainHttp: true, networks: ['127.0.0.0/8'] })

const asItIs = (store: WebhookStore): WebhookStore => store

/** A log, an account with its events, and what sends them: all but the service around them. */
export async function openSending() {
  const opened = await openLog()
  const { store: log, path } = opened
  const accountId = newId()
  const streams = createStreams(log, systemClock)
  const background = createBackground(() => undefined)
  const storePath = join(path, '..', 'webhooks', 'deliveries.sqlite')
  let running: { deliverer: RunningDeliverer; store: WebhookStore; stop(): Promise<void> } | null = null
  const openAccount = (of: Uuid) =>
    streams.execute(
      'account',
      of,
      { type: 'OpenAccount', accountId: of, name: 'a', tier: 'standard', at: 1 },
      { ...SYSTEM, accountId: of },
    )
  await openAccount(accountId)

  /** What goes wrong in between, and how patient it is: milliseconds. */
  function start({ first = 20, giveUpAfter = 60_000, adapt = asItIs } = {}): RunningDeliverer {
    const store = adapt(openSqliteWebhookStore(storePath))
    const accountEvents = startAccountEvents({ eventStore: log, background })
    const sender: Sender = createSender({ targets: TARGETS, timeoutMs: 2_000, agent: 'Medialog/test' })
    const deliverer = startDeliverer({
      log,
      accountEvents,
      streams,
      store,
      sender,
      background,
      clock: systemClock,
      secretOf: (id) => secretOf(KEY, id),
      retries: { first, giveUpAfter },
    })
    running = {
      deliverer,
      store,
      async stop() {
        await deliverer.close()
        sender.close()
        await accountEvents.close()
        await store.close()
      },
    }
    return deliverer
  }

  async function stop(): Promise<void> {
    await running?.stop()
    running = null
  }

  const execute = async (command: CommandOf<'webhooks'>, of = accountId) =>
    streams.execute('webhooks', of, command, { ...SYSTEM, accountId: of })

  return {
    log,
    accountId,
    openAccount,
    start,
    stop,
    execute,
    state: async (webhookId: Uuid) =>
      (await streams.load('webhooks', accountId, (webhooks) => webhooks.get(webhookId))).selected,
    account: (command: CommandOf<'account'>) =>
      streams.execute('account', accountId, command, { ...SYSTEM, accountId }),
    async add(
      url: string,
      types: string[] = [],
      of = accountId,
    ): Promise<{ webhookId: Uuid; secret: string }> {
      const [webhookId, secretId] = [newId(), newId()]
      const ids = { accountId: of, webhookId, secretId }
      await execute({ type: 'AddWebhook', ...ids, url, types, most: 9, at: Date.now() }, of)
      return { webhookId, secret: secretOf(KEY, secretId) }
    },
    /** Appends to a stream of the account; answers the events' ids. */
    async happen(stream: StreamName, ...events: DomainEvent[]): Promise<Uuid[]> {
      const news: NewEvent[] = events.map((event) => newEvent(event, accountId))
      await append(log, stream, ...news)
      return news.map(({ id }) => id)
    },
    /** Up to where the deliverer has taken in what changed webhooks. */
    position: () => running!.store.position(),
    deliveries: async (webhookId: Uuid): Promise<Delivery[]> =>
      (await running!.store.deliveries(webhookId, { offset: 0, limit: 10_000 })).deliveries,
    async [Symbol.asyncDispose]() {
      await stop()
      await opened.remove()
    },
  }
}
