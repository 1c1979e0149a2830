import { randomBytes } from 'node:crypto'
import type { Background, Coordination, Ports, Webhooks, WebhookStore } from '@medialog/application'
import { startDeliverer, type RunningDeliverer } from '@medialog/messaging/webhooks/deliverer'
import { createSender } from '@medialog/messaging/webhooks/sender'
import { secretOf } from '@medialog/messaging/webhooks/signature'
import { openSqliteWebhookStore } from '@medialog/messaging/webhooks/sqlite-store'
import { createTargets } from '@medialog/messaging/webhooks/targets'
import { whileLeading } from '@medialog/projections'
import type { Logger } from 'pino'
import { does, isShared, type Config } from './config.ts'
import { foldersIn } from './embedded/folders.ts'
import { keptSecret } from './secrets.ts'
import { RELEASE } from './release.ts'

interface SenderPorts extends Pick<Ports, 'eventStore' | 'streams' | 'accountEvents' | 'clock'> {
  background: Pick<Background, 'pause'>
  /** With processes that share the log. */
  coordination: Coordination | null
  /** Of this process, in that. */
  holder: string
  logger: Logger
}

/** A receiver that says nothing for so long is not there. */
const TIMEOUT_MS = 15_000

/**
 * The webhooks of this process, and what sends them where that is its role: alone with its log at once, of several
 * processes whenever it is the one that does. Ends with `running`. Null where nothing is configured that they could share.
 * @throws EngineUnavailable
 */
export async function openWebhooks(
  config: Config,
  ports: SenderPorts,
  running: AsyncDisposableStack,
): Promise<Webhooks | null> {
  const { key, targets: allowed } = config.webhooks
  const { coordination } = ports
  const isAlone = config.roles === null && !isShared(config)
  if (!isAlone && (key === null || coordination === null)) return null
  const secret =
    key ?? keptSecret(config.dataFolder, 'webhook-key', () => randomBytes(32).toString('base64url'))
  const store = running.adopt(await openStore(config, isAlone), (opened) => opened.close())
  const targets = createTargets(allowed)
  const secretFor = (secretId: string) => secretOf(secret, secretId)
  const webhooks = { store, refusalOf: (url: URL) => targets.refusalOf(url), secretOf: secretFor }
  if (!does(config, 'publisher')) return { ...webhooks, status: async () => null }

  const sender = createSender({ targets, timeoutMs: TIMEOUT_MS, agent: `Medialog/${RELEASE.version}` })
  running.defer(() => sender.close())
  const { retries } = config.webhooks
  const start = () =>
    startDeliverer({ ...ports, log: ports.eventStore, store, sender, retries, secretOf: secretFor })
  const status = isAlone
    ? sendAlone(start, running)
    : sendWhileLeading(start, { ...ports, coordination: coordination! }, running)
  return { ...webhooks, status }
}

async function openStore({ dataFolder, elasticsearch }: Config, isAlone: boolean): Promise<WebhookStore> {
  if (isAlone) return openSqliteWebhookStore(foldersIn(dataFolder).webhooks)
  const { openWebhookStore } = await import('./embedded/elasticsearch-read-models.ts')
  return openWebhookStore(elasticsearch!)
}

function sendAlone(start: () => RunningDeliverer, running: AsyncDisposableStack): Webhooks['status'] {
  const deliverer = running.adopt(start(), (started) => started.close())
  return () => deliverer.status()
}

function sendWhileLeading(
  start: () => RunningDeliverer,
  { coordination, holder, logger }: SenderPorts & { coordination: Coordination },
  running: AsyncDisposableStack,
): Webhooks['status'] {
  const stopping = new AbortController()
  let sending: RunningDeliverer | null = null
  const led = whileLeading(
    {
      coordination,
      name: 'webhooks',
      holder,
      signal: stopping.signal,
      onTrouble: (err) => logger.warn({ err }, 'who sends webhooks cannot be agreed on'),
    },
    async (lost) => {
      const deliverer = start()
      sending = deliverer
      if (!lost.aborted) await new Promise((resolve) => lost.addEventListener('abort', resolve))
      sending = null
      await deliverer.close()
    },
  )
  running.defer(async () => {
    stopping.abort()
    await led
  })
  return async () => sending?.status() ?? null
}
