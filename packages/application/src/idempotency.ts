import { DEFAULT_COLLECTION } from '@medialog/domain'
import type { Json, Uuid } from '@medialog/kernel'
import type { Dependencies } from './dependencies.ts'
import type { Origin } from './event-sourcing/streams.ts'

/** Where an ingest puts its item, for fingerprints: the same for a parameter that is absent and one that says what absence means. */
export const placeAsked = (collection: string | null, overwrite: boolean): string | null =>
  collection ?? (overwrite ? null : DEFAULT_COLLECTION)

export interface OnceRequest<Answer> {
  accountId: Uuid
  requestId: Uuid
  origin: Origin
  /** The stream of the Idempotency-Key; null without one: the work is simply done. */
  stream: Uuid | null
  /** What makes it the same request: route, parsed fields, digest of the file. */
  fingerprint: string
  work: () => Promise<Answer>
}

/**
 * Does the work once for an Idempotency-Key, however often and in however many processes the request arrives.
 * A refusal or failure gives the key free again; success is kept as a reference and answers every repeat.
 * @throws IdempotencyKeyReused, RequestInProgress
 */
export async function once<Answer extends { [key: string]: Json }>(
  { streams, clock, background }: Pick<Dependencies, 'streams' | 'clock' | 'background'>,
  { accountId, requestId, origin, stream, fingerprint, work }: OnceRequest<Answer>,
): Promise<{ answer: Answer; replayed: boolean }> {
  if (stream === null) return { answer: await work(), replayed: false }
  const { selected: current } = await streams.execute(
    'request',
    stream,
    { type: 'StartRequest', accountId, requestId, fingerprint, at: clock.now() },
    origin,
    { select: (state) => state.current },
  )
  if (current?.answer) return { answer: current.answer as Answer, replayed: true }
  try {
    const answer = await work()
    await streams.execute(
      'request',
      stream,
      { type: 'CompleteRequest', requestId, answer, at: clock.now() },
      origin,
    )
    return { answer, replayed: false }
  } catch (error) {
    await background.untilDone(() =>
      streams.execute('request', stream, { type: 'AbandonRequest', requestId, at: clock.now() }, origin),
    )
    throw error
  }
}
