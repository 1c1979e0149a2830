import type { CloudEvent } from '@medialog/client'
import { nameOf } from '../data/live.ts'
import { fromNano } from '../parts/money.ts'
import { Amount, bytes, number } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'

/** The one thing of an event that one wants to know at a glance; all of it unfolds. */
export function Gist({ event }: { event: CloudEvent }) {
  // Fields as docs/events has them; an event that lacks one shows nothing.
  const { amount, mediaType, sizeBytes, place, message, percent } = event.data as {
    amount?: string
    mediaType?: keyof typeof t.types
    sizeBytes?: number
    place?: { collection: string }
    message?: string
    percent?: number
  }
  if (amount !== undefined)
    return <Amount value={fromNano(Number(amount)) * (nameOf(event) === 'BalanceCharged' ? -1 : 1)} />
  if (mediaType !== undefined && sizeBytes !== undefined)
    return [t.types[mediaType], bytes(sizeBytes), place?.collection].filter(Boolean).join(' · ')
  if (percent !== undefined) return t.batches.processing(number(percent))
  return message ?? place?.collection ?? null
}
