import type { Coordination, Publishing, SentElsewhere, Webhooks } from '@medialog/application'
import { explain } from '@medialog/kernel'
import { hearOthers, tellOthers } from '@medialog/projections'
import { does, type Config } from './config.ts'

interface Sending {
  publishing: Publishing
  webhooks: Pick<Webhooks, 'status'> | null
}

/** Has the APIs know how it is with what a publisher does for all, until `running` ends. */
export function tellOfSending(
  { kafka }: Config,
  coordination: Coordination,
  { publishing, webhooks }: Sending,
  running: AsyncDisposableStack,
): void {
  async function conditions() {
    const [published, sent] = await Promise.all([
      publishing.status().catch((error: unknown) => ({ trouble: explain(error), stopped: false })),
      webhooks?.status() ?? null,
    ])
    return [
      // One that has stopped has a successor, who tells.
      ...(published && !published.stopped
        ? [
            {
              part: 'publisher' as const,
              id: `${kafka!.prefix}.${kafka!.publisher}`,
              trouble: published.trouble,
            },
          ]
        : []),
      ...(sent ? [{ part: 'webhooks' as const, id: 'all', trouble: sent.trouble }] : []),
    ]
  }
  running.adopt(tellOthers({ coordination, conditions }), (telling) => telling.close())
}

/** How it is with that, for a process that answers requests and sends nothing; null where no other would. */
export function hearOfSending(
  config: Config,
  coordination: Coordination | null,
  running: AsyncDisposableStack,
): SentElsewhere | null {
  if (config.roles === null || coordination === null || does(config, 'publisher')) return null
  return running.adopt(hearOthers({ coordination }), (hearing) => hearing.close())
}
