import { DEFAULT_COLLECTION } from '@medialog/domain'
import type { Json, Uuid } from '@medialog/kernel'
import type { Ports } from '../core/ports.ts'
import { EngineUnavailable } from '../ports/index.ts'
import { RequestKey, type KeyedRequest } from './request-key.ts'

/** Where an ingest puts its item, for fingerprints: the same for a parameter that is absent and one that says what absence means. */
export const placeAsked = (collection: string | null, overwrite: boolean): string | null =>
  collection ?? (overwrite ? null : DEFAULT_COLLECTION)

export interface OnceRequest<Answer> extends KeyedRequest<Answer> {
  /** The stream of the Idempotency-Key; null without one: the work is simply done. */
  stream: Uuid | null
  work: () => Promise<Answer>
  /**
   * Ends what the work began, after a failure, once it is certain whether repeats will be answered, see `answered`.
   * Tried again until it is done.
   */
  conclude?: (answered: boolean, failure: unknown) => Promise<unknown>
}

/**
 * Does the work once for an Idempotency-Key, however often and in however many processes the request arrives.
 * A refusal or failure gives the key free again; success is kept as a reference and answers every repeat. Where keeping it
 * is reported as failed, the stream is read for the outcome: what was kept is returned now as it would be to a repeat, and so is
 * the result of work whose `fateOf` finds it for repeats.
 * A repeat of one whose process died, or that was given up for dead, is answered with its outcome.
 * @throws IdempotencyKeyReused, RequestInProgress; EngineUnavailable where another process took it for dead meanwhile
 */
export async function once<Answer extends { [key: string]: Json }>(
  ports: Pick<Ports, 'streams' | 'clock' | 'background'>,
  { stream, work, conclude, ...request }: OnceRequest<Answer>,
): Promise<{ answer: Answer; replayed: boolean }> {
  const key = stream === null ? null : new RequestKey(ports, stream, request)
  const started = (await key?.start()) ?? null
  if (started?.kept) return { answer: started.kept, replayed: true }
  const earlier = started?.earlier ?? null
  let done: Answer | null = null
  try {
    done = earlier ?? (await work())
    if (key && (await key.complete(done)) === null) throw givenUp()
    return { answer: done, replayed: earlier !== null }
  } catch (failure) {
    const kept = await ports.background.untilDone(async () => {
      const answer = (await key?.abandon()) ?? null
      await conclude?.(answer !== null, failure)
      return answer
    })
    if (kept) return { answer: kept, replayed: false }
    // A repeat finds the result in the events of the work: it needs no kept answer.
    if (done && request.fateOf) return { answer: done, replayed: earlier !== null }
    throw failure
  }
}

/**
 * Asked between the first event of what a request makes and the one that it is paid or kept by: a request that has lost its
 * key meanwhile goes no further. So the next request with the key finds at least the first.
 * @throws EngineUnavailable
 */
export async function requireKey(
  { streams }: Pick<Ports, 'streams'>,
  { requestStream, requestId }: { requestStream: Uuid | null; requestId: Uuid },
): Promise<void> {
  if (requestStream === null) return
  const { selected: holder } = await streams.load(
    'request',
    requestStream,
    ({ current }) => current?.requestId,
  )
  if (holder !== requestId) throw givenUp()
}

/** It took so long that it counted as dead: its key is free, and what it was charged is refunded. */
export const givenUp = (cause?: unknown): EngineUnavailable =>
  new EngineUnavailable('request', 'The request took too long and was given up; send it again.', { cause })
