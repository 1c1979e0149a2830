import {
  CancellationScope,
  isCancellation,
  proxyActivities,
  type ActivityOptions,
} from '@temporalio/workflow'
import type { BatchSteps } from '../batch-steps.ts'
import type { Steps } from '../steps.ts'
import { errorOf } from './failures.ts'
import { activityName, type StepGroup } from './names.ts'

type StepsOf = { ingest: Steps; batch: BatchSteps }
type Call = (...args: unknown[]) => Promise<unknown>

/**
 * Steps as a saga calls them, each carried out as an activity: throws the errors that the step threw. An AbortSignal that
 * is the last argument stays here: when it aborts the step is cancelled, and its reason thrown once the step has ended.
 */
export function remoteSteps<Group extends StepGroup>(
  group: Group,
  optionsOf: (step: string, argument: unknown) => ActivityOptions,
): StepsOf[Group] {
  return new Proxy({} as StepsOf[Group], {
    get:
      (_, step: string): Call =>
      (...args) => {
        const signal = args.find(isSignal)
        const sent = args.filter((argument) => argument !== undefined && argument !== signal)
        const activities = proxyActivities<Record<string, Call>>(optionsOf(step, sent[0]))
        return untilAborted(signal, () => activities[activityName(group, step)]!(...sent))
      },
  })
}

/** Cancels what `work` waits for when the signal aborts, and throws its reason then. */
export async function untilAborted<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  const scope = new CancellationScope({ cancellable: signal !== undefined })
  const cancel = (): void => scope.cancel()
  signal?.addEventListener('abort', cancel)
  try {
    return await scope.run(() => {
      if (signal?.aborted) cancel()
      return work()
    })
  } catch (error) {
    throw signal?.aborted && isCancellation(error) ? signal.reason : errorOf(error)
  } finally {
    signal?.removeEventListener('abort', cancel)
  }
}

const isSignal = (argument: unknown): argument is AbortSignal =>
  typeof argument === 'object' && argument !== null && 'aborted' in argument
