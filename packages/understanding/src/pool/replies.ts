import { extractionSchema } from '@medialog/application/artifacts/described'
import { UNREADABLE_REASONS } from '@medialog/application/ports/understanding'
import { z } from 'zod'
import type { Outcome, Request, Spoken } from './protocol.ts'

const place = z.int().min(0)
const usage = z.object({ rss: z.number(), cpu: z.number() })
const bytes = z.instanceof(Uint8Array)
const span = z.tuple([place, place])

const outcome = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('extracted'),
    usage,
    extraction: extractionSchema.extend({
      listings: z.array(z.object({ start: place, end: place })).optional(),
    }),
    passages: z.array(span),
    thumbnails: z.array(bytes).optional(),
    picture: bytes.optional(),
    spoken: z.object({ sound: bytes, voice: z.array(span) }).optional(),
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
  const isRight = isOfFormat && extraction.facts.mediaType === format.mediaType && isInText
  return isRight && isHearable(data.spoken) ? data : null
}

/** Whether its stretches follow one another in the sound. */
function isHearable(spoken: Spoken | undefined): boolean {
  if (!spoken) return true
  const { sound, voice } = spoken
  const samples = sound.length / Int16Array.BYTES_PER_ELEMENT
  return (
    Number.isInteger(samples) &&
    voice.every(([start, end], at) => start < end && end <= samples && start >= (voice[at - 1]?.[1] ?? 0))
  )
}
