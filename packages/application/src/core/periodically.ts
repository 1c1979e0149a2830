import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Does the work again and again, with a pause of so many milliseconds after each time, until the signal aborts: what is under way
 * then is finished first. Rejects as the work does. Where `ref` is false its pauses keep no process from ending.
 */
export async function periodically(
  pauseMs: number,
  signal: AbortSignal,
  work: () => Promise<unknown>,
  { ref = true }: { ref?: boolean } = {},
): Promise<void> {
  while (!signal.aborted) {
    await work()
    await sleep(pauseMs, undefined, { signal, ref }).catch(() => undefined)
  }
}
