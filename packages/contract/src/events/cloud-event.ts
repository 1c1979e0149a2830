import { z } from 'zod'

/** What is said of every published event besides its payload: attributes of CloudEvents 1.0, and the service's own. */
export const cloudEventAttributes = {
  specversion: z.literal('1.0'),
  id: z.guid().meta({
    description: 'The same event has the same id for ever, wherever it is told.',
    example: '0190d3c2-6f0e-7b1a-9c1d-2f6f5f0a7b11',
  }),
  type: z
    .string()
    .meta({ description: '`medialog.` and the name of the type.', example: 'medialog.MediaIngested' }),
  subject: z.string().meta({
    description: 'The stream: `media-<uuid>`, `library-<account>`, `batch-<uuid>` or `ledger-<account>`.',
    example: 'media-0190d3c2-6f0e-5b1a-9c1d-2f6f5f0a7b11',
  }),
  time: z.iso.datetime().meta({
    description: 'When it was decided: ISO 8601, UTC, milliseconds.',
    example: '2026-11-20T13:05:09.123Z',
  }),
  dataversion: z.string().meta({ description: 'Version of the payload’s schema.', example: '1' }),
  revision: z.string().meta({
    description: 'Its number in its stream: grows, and skips what is not published.',
    example: '1',
  }),
  actor: z.string().meta({
    description: 'Who caused it: the id of an API key, `operator`, or `system`.',
    example: 'k3y1d000',
  }),
  accountid: z.string().optional().describe('Whose it is.'),
  requestid: z.string().optional().describe('The request that caused it: `req_<uuid>` without its prefix.'),
  causationid: z.string().optional().describe('The event that caused it.'),
  traceparent: z.string().optional().describe('The trace, as in W3C Trace Context.'),
}
export type CloudEventAttributes = z.output<z.ZodObject<typeof cloudEventAttributes>>

/** In what an account is told of its own events, the log they are from. */
export const ACCOUNT_SOURCE = '/medialog'

/** An event as its account is told it: CloudEvents' structured form, JSON. */
export const cloudEventOf = <Data extends z.ZodType>(data: Data) =>
  z.object({
    ...cloudEventAttributes,
    source: z.literal(ACCOUNT_SOURCE),
    datacontenttype: z.literal('application/json'),
    data,
  })

export type AccountCloudEvent<Data> = CloudEventAttributes & {
  source: typeof ACCOUNT_SOURCE
  datacontenttype: 'application/json'
  data: Data
}
