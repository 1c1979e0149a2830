import type { JobRef } from './refs.ts'
import type { Steps } from './steps.ts'

/**
 * Ends a single upload's job by what its item's stream says. Recorded: the request is completed and the charge settled. Not: the claim
 * is released first and the charge refunded after, so that what was refunded can never appear. May be run again.
 */
export async function endJob(steps: Steps, job: JobRef, reason: string): Promise<'settled' | 'refunded'> {
  if ((await steps.release(job, reason)) === 'recorded') {
    const answer = job.requestStream && (await steps.answer(job))
    if (answer) await steps.complete(job, answer)
    await steps.settle(job)
    return 'settled'
  }
  await steps.refund(job, reason)
  await steps.discard(job)
  return 'refunded'
}
