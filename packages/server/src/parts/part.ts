import type { Role } from '../roles.ts'

/** A role that this process has begun to fill. */
export interface Part {
  role: Role
  /** Why it does not do its work, each a sentence for the operator; none: it does. Never rejects, and answers within seconds. */
  troubles(): Promise<string[]>
}

/** What the question finds; one that cannot be answered is trouble too. */
export async function troublesOf(part: string, question: () => Promise<string[]>): Promise<string[]> {
  try {
    return await question()
  } catch (error) {
    return [`${part}: ${(error as Error).message}`]
  }
}

/** One sentence, or none. */
export const asTroubles = (trouble: string | null): string[] => (trouble === null ? [] : [trouble])
