import { decodeRecorded, isKnownEvent } from '@medialog/contract'
import type { JsonObject, RecordedEvent } from '@medialog/kernel'
import { ReplayGone } from '../core/errors.ts'
import type { KeptAnswerRef, KeptAnswers } from '../ports/index.ts'
import { seal, unseal, type SealMaterial } from './seal.ts'

/** Keeps an answer for repeats under its Idempotency-Key. @throws EngineUnavailable */
export const keepAnswer = (
  { keptAnswers }: { keptAnswers: KeptAnswers },
  ref: KeptAnswerRef,
  answer: JsonObject,
  material: SealMaterial,
): Promise<void> => keptAnswers.put(ref, seal(answer, material))

/** The answer as it was kept. @throws ReplayGone where it is gone, or what it was made from is another */
export async function keptAnswer<Answer extends JsonObject>(
  { keptAnswers }: { keptAnswers: KeptAnswers },
  ref: KeptAnswerRef,
  material: SealMaterial,
): Promise<Answer> {
  const sealed = await keptAnswers.get(ref)
  const answer = sealed && unseal(sealed, material)
  if (!answer) throw new ReplayGone()
  return answer as Answer
}

/** Which answer was kept beside the log for the request that ended with this event; null: none. */
export function keptAnswerOf(recorded: RecordedEvent): KeptAnswerRef | null {
  const event = isKnownEvent(recorded) ? decodeRecorded(recorded) : null
  if (event?.type !== 'RequestCompleted') return null
  const { requestId, answer } = event
  const { at, processedAt } = (answer.kept ?? {}) as JsonObject
  // A question's, or an analysis's.
  const keptAt = at ?? processedAt
  return typeof keptAt === 'number' ? { requestId, at: keptAt } : null
}
