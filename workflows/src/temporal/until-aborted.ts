import { CancellationScope, isCancellation } from '@temporalio/workflow'

/** Cancels what `work` waits for when the signal aborts, and throws its reason then, once that has ended. */
export async function untilAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const scope = new CancellationScope()
  const cancel = (): void => scope.cancel()
  signal.addEventListener('abort', cancel)
  try {
    return await scope.run(() => {
      if (signal.aborted) cancel()
      return work()
    })
  } catch (error) {
    throw signal.aborted && isCancellation(error) ? signal.reason : error
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}
