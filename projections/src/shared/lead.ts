import { setTimeout as sleep } from 'node:timers/promises'
import { EngineUnavailable, type Coordination } from '@medialog/application/ports'
import { campaign } from './election.ts'
import { LEASES, TIMING, type Timing } from './lease.ts'

export interface LeadOptions {
  coordination: Coordination
  /** What is led: each is led by one process at a time. */
  name: string
  /** See Lease. */
  holder: string
  timing?: Timing
  signal: AbortSignal
  /** Receives each failure; it is tried again. */
  onTrouble: (error: unknown) => void
}

/**
 * Does the work whenever this process leads, one of those that ask for the same; `lost` aborts when another may have taken
 * over. Resolves once `signal` aborts and the work has ended.
 */
export async function whileLeading(
  { coordination, name, holder, timing = TIMING, signal, onTrouble }: LeadOptions,
  work: (lost: AbortSignal) => Promise<void>,
): Promise<void> {
  const onOther = (error: unknown) => {
    if (error !== null) onTrouble(error)
  }
  while (!signal.aborted)
    try {
      const lease = `${LEASES}${name}`
      const term = await campaign({ coordination, lease, holder, timing, signal, onOther })
      try {
        await work(AbortSignal.any([signal, term.lost]))
      } finally {
        await term.release().catch((error: unknown) => {
          // A waiting process takes it when it was silent for long enough.
          if (!(error instanceof EngineUnavailable)) throw error
        })
      }
    } catch (error) {
      if (signal.aborted) return
      onTrouble(error)
      await sleep(timing.lookEvery, undefined, { signal }).catch(() => undefined)
    }
}
