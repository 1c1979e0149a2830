import { extractionSchema } from '@medialog/application/artifacts/described'
import { UNREADABLE_REASONS } from '@medialog/application/ports/understanding'
import { z } from 'zod'
import type { Outcome, Request } from './protocol.ts'

const place = z.int().min(0)
const usage = z.object({ rss: z.number(), cpu: z.number() })
const picture = z.instanceof(Uint8Array)

const outcome = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('extracted'),
    usage,
    extraction: extractionSchema.extend({
      listings: z.array(z.object({ start: place, end: place })).optional(),
    }),
    passages: z.array(z.tuple([place, place])),
    thumbnails: z.array(picture).optional(),
    picture: picture.optional(),
  }),
  z.object({
    kind: z.literal('unreadable'),
    usage,
    reason: z.enum(UNREADABLE_REASONS),
    message: z.string().max(1_000),
  }),
]) satisfies z.ZodType<Outcome>

/** What a child answered to that request; null for what none of ours answers: a file may have taken it over. */
export function readOutcome(reply: unknown, { format }: Request): Outcome | null {
  const { data, success } = outcome.safeParse(reply)
  if (!success) return null
  if (data.kind === 'unreadable') return data
  const { text, ...extraction } = data.extraction
  const isOfFormat = extraction.format === format.name && extraction.mediaType === format.mediaType
  const isInText = data.passages.every(([start, end]) => start <= end && end <= text.length)
  return isOfFormat && extraction.facts.mediaType === format.mediaType && isInText ? data : null
}
