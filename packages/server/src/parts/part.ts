import { latest } from '@medialog/kernel'
import type { Role } from '../roles.ts'

/** A role that this process has begun to fill. */
export interface Part {
  role: Role
  /** Why it does not do its work, each a sentence for the operator; none: it does. Never rejects, and answers within seconds. */
  troubles(): Promise<string[]>
}

/** A part whose troubles are what the question finds. One that cannot be answered, or not in time, is trouble too. */
export function partOf(role: Role, question: () => Promise<string[]>): Part {
  const answer = latest(question)
  return { role, troubles: () => answer().catch((error: Error) => [`${role}: ${error.message}`]) }
}

/** One sentence, or none. */
export const asTroubles = (trouble: string | null): string[] => (trouble === null ? [] : [trouble])
