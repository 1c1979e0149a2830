import { z } from 'zod'
import { cloudEventOf } from '../events/cloud-event.ts'
import { PUBLISHED_TYPE, PUBLISHED_TYPES, TYPE_PREFIX } from '../events/published.ts'
import { json } from './common.ts'
import { route } from './route.ts'

/** Names of event types, with their prefix or without, made into a set without. */
const typesText = z
  .string()
  .regex(new RegExp(`^\\s*${PUBLISHED_TYPE}\\s*(,\\s*${PUBLISHED_TYPE}\\s*)*$`), {
    error: `must name published event types (${PUBLISHED_TYPES.join(', ')}), separated by commas`,
  })
  .transform(
    (text): ReadonlySet<string> =>
      new Set(text.split(',').map((name) => name.trim().replace(TYPE_PREFIX, ''))),
  )
  .meta({
    description: 'Only events of these types, separated by commas.',
    example: 'medialog.MediaIngested,medialog.MediaDeleted',
  })

export const CloudEvent = cloudEventOf(
  z.record(z.string(), json).describe('The payload: `/asyncapi.json` has its schema, by type.'),
).meta({ id: 'CloudEvent' })

/** What is told last, before the service itself ends a feed. */
export const FeedEnd = z.strictObject({
  reason: z.enum(['stopping', 'key_not_valid', 'account_suspended', 'too_slow', 'unavailable', 'failed']),
  message: z.string().describe('For people.'),
})

/** Following what happens, see docs/feed.md. */
export const eventRoutes = {
  followEvents: route({
    tag: 'Events',
    access: 'read',
    operationId: 'followEvents',
    method: 'get',
    path: '/v1/events',
    summary: 'Follow what happens in the account',
    description:
      'Server-sent events: first what happened after a position, then what happens, until the caller leaves. Each has a CloudEvent as its data and a position as its id: with the last of these in `Last-Event-ID` (or `after`) the next request goes on without a gap and without a repeat. An event named `end` says why the service ended it.',
    query: z.strictObject({
      after: z.string().min(1).optional().meta({
        description:
          'The position to go on after: the id of an event, or the X-Position of any answer; `beginning` for all that the log holds. Unless given: from now on.',
      }),
      types: typesText.optional(),
    }),
    headers: {
      'Last-Event-ID': {
        says: 'As `after`, which it goes before: browsers and clients send it by themselves.',
      },
    },
    answer: { contentType: 'text/event-stream', description: 'CloudEvents, until the caller leaves.' },
    events: CloudEvent,
  }),
}
