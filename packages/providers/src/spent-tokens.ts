import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { z } from 'zod'

/** Tokens by the minute since the epoch in which they were spent. */
export type SpentTokens = readonly (readonly [minute: number, tokens: number])[]

/** Where it is kept over restarts what was spent. */
export interface KeptTokens {
  read(): SpentTokens
  write(spent: SpentTokens): void
}

const kept = z.array(z.tuple([z.int().nonnegative(), z.number()]))

/**
 * In a file of one process, written whole at each change: calls of models are few and slow. A file that cannot be read or
 * written is told of, and the budget goes on with what this process knows.
 */
export const tokensInFile = (path: string, onTrouble: (error: Error) => void): KeptTokens => ({
  read() {
    try {
      return kept.parse(JSON.parse(readFileSync(path, 'utf8')))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') onTrouble(error as Error)
      return []
    }
  },
  write(spent) {
    try {
      writeFileSync(`${path}.part`, JSON.stringify(spent), { mode: 0o600 })
      renameSync(`${path}.part`, path)
    } catch (error) {
      onTrouble(error as Error)
    }
  },
})
