import type { EventStore, Publishing, Webhooks } from '@medialog/application'
import { partOf, type Part } from './part.ts'

/** Publishes what the log has: as long as it is connected, and no other took its place; and sends webhooks, or stands by. */
export const publisherPart = (
  publishing: Pick<Publishing, 'status'>,
  log: Pick<EventStore, 'trouble'>,
  webhooks: Pick<Webhooks, 'status'> | null,
): Part =>
  partOf('publisher', async () => {
    const refused = log.trouble()
    if (refused !== null) return [`event store: ${refused}`]
    const sending = await webhooks?.status()
    if (sending && sending.trouble !== null) return [`webhooks: ${sending.trouble}`]
    const status = await publishing.status()
    if (status === null) return []
    if (status.trouble !== null) return [`publisher: ${status.trouble}`]
    return status.position === null ? ['publisher: it is being connected'] : []
  })
