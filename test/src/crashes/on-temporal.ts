import { randomUUID } from 'node:crypto'
import { EngineUnavailable } from '@medialog/application'
import { openTemporalOrchestrator } from '@medialog/workflows/temporal/orchestrator'
import { Context } from '@temporalio/activity'
import { forever } from './points.ts'
import type { Carrier } from './world.ts'

/** Longer than any takes. What an append that was late has left is refunded after that. */
const LONGEST_REQUEST_MS = 10_000

/**
 * Ends an activity of a crashed instance when its worker stops, so that the server retries it on the next worker. What is no
 * activity is the work of a caller that crashed too, or of a sweep, for whose end the worker waits.
 */
const lost = (ofOthers: () => Promise<never>) => (): Promise<never> => {
  try {
    return Context.current().cancelled
  } catch {
    return ofOthers()
  }
}

function crashed(): Promise<never> {
  const lost = Promise.reject(new EngineUnavailable('instance', 'It crashed.'))
  // What is read without waiting is not looked at.
  lost.catch(() => undefined)
  return lost
}

/** The sagas run as workflows of the server at this address. */
export function carriedBy(address: string, processes = 1): Carrier {
  const isShared = processes > 1
  const taskQueue = `test-${randomUUID()}`
  return {
    open: (ports) =>
      openTemporalOrchestrator(ports, {
        address,
        taskQueue,
        longestRequestMs: isShared ? LONGEST_REQUEST_MS : null,
        onTrouble: () => undefined,
      }),
    lost: lost(isShared ? crashed : forever),
    processes,
  }
}
