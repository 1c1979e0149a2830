import type { Facts, TimeSpan } from '../ports/understanding.ts'

/** When a passage of a recording or film is said; undefined of its head, and where that is not known. */
export const saidAt = (facts: Facts, chunk: number): TimeSpan | undefined =>
  'passageTimes' in facts ? facts.passageTimes?.[chunk - 1] : undefined
