import { randomBytes } from 'node:crypto'
import type { Dependencies, Webhooks } from '@medialog/application'
import { createSender } from '@medialog/messaging/webhooks/sender'
import { secretOf } from '@medialog/messaging/webhooks/signature'
import { openSqliteWebhookStore } from '@medialog/messaging/webhooks/sqlite-store'
import { startDeliverer } from '@medialog/messaging/webhooks/deliverer'
import { createTargets } from '@medialog/messaging/webhooks/targets'
import { isShared, type Config } from './config.ts'
import { foldersIn } from './embedded/folders.ts'
import { keptSecret } from './secrets.ts'
import { VERSION } from './version.ts'

type Ports = Pick<Dependencies, 'eventStore' | 'streams' | 'accountEvents' | 'background' | 'clock'>

/** A receiver that says nothing for so long is not there. */
const TIMEOUT_MS = 15_000

/** Sends webhooks from here on, until `running` ends. Null where nothing is sent. @throws EngineUnavailable */
export async function openWebhooks(
  config: Config,
  ports: Ports,
  running: AsyncDisposableStack,
): Promise<Webhooks | null> {
  if (config.roles !== null || isShared(config)) return null
  const { dataFolder } = config
  const { key, targets: allowed, retries } = config.webhooks
  const secret = key ?? keptSecret(dataFolder, 'webhook-key', () => randomBytes(32).toString('base64url'))
  const targets = createTargets(allowed)
  const store = running.adopt(openSqliteWebhookStore(foldersIn(dataFolder).webhooks), (opened) =>
    opened.close(),
  )
  const sender = createSender({ targets, timeoutMs: TIMEOUT_MS, agent: `Medialog/${VERSION}` })
  running.defer(() => sender.close())
  const secretFor = (secretId: string) => secretOf(secret, secretId)
  const deliverer = running.adopt(
    startDeliverer({
      ...ports,
      log: ports.eventStore,
      store,
      sender,
      retries,
      secretOf: secretFor,
    }),
    (started) => started.close(),
  )
  return {
    store,
    refusalOf: targets.refusalOf,
    secretOf: secretFor,
    status: () => deliverer.status(),
  }
}
