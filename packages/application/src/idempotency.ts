import { hash } from 'node:crypto'
import { DEFAULT_COLLECTION, type Request } from '@medialog/domain'
import { DomainError, type Json, type Uuid } from '@medialog/kernel'
import type { Dependencies } from './dependencies.ts'
import type { Origin } from './event-sourcing/streams.ts'
import { EngineUnavailable } from './ports/index.ts'

/** Where an ingest puts its item, for fingerprints: the same for a parameter that is absent and one that says what absence means. */
export const placeAsked = (collection: string | null, overwrite: boolean): string | null =>
  collection ?? (overwrite ? null : DEFAULT_COLLECTION)

export interface OnceRequest<Answer> {
  accountId: Uuid
  requestId: Uuid
  origin: Origin
  /** The stream of the Idempotency-Key; null without one: the work is simply done. */
  stream: Uuid | null
  /** What makes it the same request: route, parsed fields, digest of the file. The log keeps a digest of it. */
  fingerprint: string
  work: () => Promise<Answer>
  /**
   * Ends what the work began, after a failure, once it is certain whether repeats will be answered: `answered` says so.
   * Tried again until it is done.
   */
  conclude?: (answered: boolean, failure: unknown) => Promise<unknown>
}

/**
 * Does the work once for an Idempotency-Key, however often and in however many processes the request arrives.
 * A refusal or failure gives the key free again; success is kept as a reference and answers every repeat. Where keeping it
 * is reported as failed, the stream is asked what became of it: what was kept is answered now as it would be to a repeat.
 * @throws IdempotencyKeyReused, RequestInProgress; EngineUnavailable where another process took it for dead meanwhile
 */
export async function once<Answer extends { [key: string]: Json }>(
  { streams, clock, background }: Pick<Dependencies, 'streams' | 'clock' | 'background'>,
  { accountId, requestId, origin, stream, fingerprint, work, conclude }: OnceRequest<Answer>,
): Promise<{ answer: Answer; replayed: boolean }> {
  const started = stream === null ? null : await start(stream)
  if (started?.answer) return { answer: started.answer as Answer, replayed: true }
  try {
    const answer = await work()
    if (stream !== null) await complete(stream, answer)
    return { answer, replayed: false }
  } catch (failure) {
    const kept = await background.untilDone(async () => {
      const answer = stream === null ? null : await abandon(stream)
      await conclude?.(answer !== null, failure)
      return answer
    })
    if (kept) return { answer: kept as Answer, replayed: false }
    throw failure
  }

  async function start(stream: Uuid) {
    try {
      const { selected } = await streams.execute(
        'request',
        stream,
        {
          type: 'StartRequest',
          accountId,
          requestId,
          fingerprint: hash('sha256', fingerprint),
          at: clock.now(),
        },
        origin,
        { select: (state) => state.current },
      )
      return selected
    } catch (failure) {
      // It may have been recorded all the same: nobody else would give the key free.
      if (!(failure instanceof DomainError)) await background.untilDone(() => abandon(stream))
      throw failure
    }
  }

  async function complete(stream: Uuid, answer: Answer): Promise<void> {
    const command = { type: 'CompleteRequest', requestId, answer, at: clock.now() } as const
    const select = answerKeptFor(requestId)
    const { selected } = await streams.execute('request', stream, command, origin, { select })
    if (selected === null) throw givenUp()
  }

  /** Gives the key free; the answer where it was kept all the same. */
  async function abandon(stream: Uuid) {
    const command = { type: 'AbandonRequest', requestId, at: clock.now() } as const
    const select = answerKeptFor(requestId)
    const { selected } = await streams.execute('request', stream, command, origin, { select })
    return selected
  }
}

/** What repeats of that request are answered with; null where nothing was kept for it. */
export const answerKeptFor =
  (requestId: Uuid) =>
  ({ current }: Request): { [key: string]: Json } | null =>
    current?.requestId === requestId ? current.answer : null

/** It took so long that it counted as dead: its key is free, and what it was charged is refunded. */
export const givenUp = (cause?: unknown): EngineUnavailable =>
  new EngineUnavailable('request', 'The request took too long and was given up; send it again.', { cause })
