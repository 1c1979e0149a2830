import type { BatchJob } from '@medialog/domain'
import type { Uuid } from '@medialog/kernel'
import { runJob, type BatchWork } from './batch-job.ts'

/**
 * Works a batch off: every job to its end, `atOnce` at a time, then the charge is settled and the batch has ended. Begins
 * with what the log says, so it may be run again after any crash or error; what was done is not done twice.
 * @throws JobParked; what any job threw, once the others have ended
 */
export async function workOff(work: BatchWork, jobs: readonly BatchJob[], atOnce: number): Promise<void> {
  const { batchSteps, batch } = work
  await batchSteps.start(batch)
  const groups = sameContent(jobs).values()
  const runGroups = async (): Promise<void> => {
    for (const [first, ...others] of groups) {
      // The file that brought the content in; as long as all have failed, the first.
      let twin = first!
      await runJob(work, twin, null)
      for (const job of others) if ((await runJob(work, job, twin)) !== 'failed') twin = job
    }
  }
  const outcomes = await Promise.allSettled(Array.from({ length: atOnce }, runGroups))
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  await batchSteps.end(batch)
}

/** Jobs by content: once a file has brought it in, the others are duplicates. */
function sameContent(jobs: readonly BatchJob[]): BatchJob[][] {
  const groups = new Map<Uuid, BatchJob[]>()
  for (const job of jobs) groups.set(job.mediaId, [...(groups.get(job.mediaId) ?? []), job])
  return [...groups.values()]
}
