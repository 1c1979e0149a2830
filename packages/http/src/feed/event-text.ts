import type { FollowedEvents, PublishedEvent } from '@medialog/application'
import { ACCOUNT_SOURCE, type AccountCloudEvent } from '@medialog/contract/events/cloud-event'
import type { JsonObject, LogPosition } from '@medialog/kernel'

/** How long a client waits before it comes again. */
const RETRY_MS = 1_000

type Seal = (position: LogPosition) => string

/** The same for all followers. */
const texts = new WeakMap<PublishedEvent, string>()

/** What a feed begins with: from where a client goes on that is cut off before the first event. */
export const beginning = (from: LogPosition, seal: Seal): string =>
  `retry: ${RETRY_MS}\n${idText(from, seal)}`

/** No event, but a place to go on from, which clients keep like that of an event. */
export const idText = (position: LogPosition, seal: Seal): string => `id: ${seal(position)}\n\n`

/** Events with their places. */
export const eventTexts = ({ events }: FollowedEvents, seal: Seal): string =>
  events.map(({ position, published }) => `id: ${seal(position)}\ndata: ${jsonOf(published)}\n\n`).join('')

function jsonOf(published: PublishedEvent): string {
  const known = texts.get(published)
  if (known !== undefined) return known
  const text = JSON.stringify(cloudEventOf(published))
  texts.set(published, text)
  return text
}

const cloudEventOf = ({ attributes, data }: PublishedEvent): AccountCloudEvent<JsonObject> => ({
  ...attributes,
  source: ACCOUNT_SOURCE,
  datacontenttype: 'application/json',
  data,
})
