import type { Uuid } from '@medialog/kernel'

/** Which answer, and when it was kept: milliseconds since the epoch. */
export interface KeptAnswerRef {
  requestId: Uuid
  at: number
}

/** Answers for repeats of the same request, sealed: the store cannot read them. */
export interface KeptAnswers {
  /** Writes durably, whole or not at all; writing the same again replaces it. @throws EngineUnavailable */
  put(answer: KeptAnswerRef, sealed: Uint8Array): Promise<void>
  /** The bytes, or null where they are not kept (any more). @throws EngineUnavailable */
  get(answer: KeptAnswerRef): Promise<Uint8Array | null>
  /** Removes it; nothing happens where it is gone. @throws EngineUnavailable */
  remove(answer: KeptAnswerRef): Promise<void>
  /** Removes what was kept before this time, some of it up to an hour later. @throws EngineUnavailable */
  sweep(before: number): Promise<void>
}
