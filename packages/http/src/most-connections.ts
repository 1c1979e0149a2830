import { readFileSync } from 'node:fs'

/** Files, pipes and connections of the service's own: what is left of the limit is for callers. */
const OWN = 128
const LEAST = 16

/**
 * How many connections a listener takes at once, by the limit of this process on open files: a connection may have a file
 * besides. Without that bound the system takes connections that the process cannot: they break without a word, and files
 * cannot be opened any more. Infinity where the system does not say its limit.
 */
export function mostConnections(limits: string | null = limitsOfProcess()): number {
  const limit = Number(/^Max open files\s+(\d+)/m.exec(limits ?? '')?.[1] ?? Infinity)
  return Math.max(LEAST, Math.floor((limit - OWN) / 2))
}

/** Linux alone tells. */
function limitsOfProcess(): string | null {
  try {
    return readFileSync('/proc/self/limits', 'latin1')
  } catch {
    return null
  }
}
