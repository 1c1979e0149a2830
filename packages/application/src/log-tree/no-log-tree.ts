import { EngineUnavailable, type LogLeaves } from '../ports/index.ts'
import type { LogTree } from './log-tree.ts'

/** Of a process that keeps no tree: nothing is waited for, and whoever asks for a proof is told why there is none. */
export function noLogTree(why: string): LogTree {
  const refuse = async (): Promise<never> => {
    throw new EngineUnavailable('leaves of the log', why)
  }
  const leaves: LogLeaves = {
    size: refuse,
    append: refuse,
    flush: refuse,
    read: refuse,
    blocks: refuse,
    ofStream: refuse,
    atPosition: refuse,
    close: async () => undefined,
  }
  return {
    leaves,
    holds: async () => undefined,
    checkpoint: refuse,
    keys: refuse,
    sign: refuse,
    close: async () => undefined,
  }
}
