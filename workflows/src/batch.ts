import type { BatchJob, JobOutcome } from '@medialog/domain'
import type { Uuid } from '@medialog/kernel'

/** What a batch is worked off with, in this process or by workers of Temporal. Each may be run again. */
export interface BatchWork {
  /** Carries a job to its outcome, see runJob. */
  runJob(job: BatchJob, twin: BatchJob | null): Promise<JobEnd>
  /** Resolves once who is at the same content has stored it or given up, or the work is to stop. */
  claimEnds(job: BatchJob): Promise<void>
  /** Every job has ended: the charge is final, then the batch has ended too. */
  endBatch(): Promise<void>
}

/** How a job ended; `waiting`: it has not, since another upload of the same content is under way. */
export type JobEnd = JobOutcome['status'] | 'waiting'

/**
 * Works an open batch off: every job to its outcome, `atOnce` at a time, then the charge is settled and the batch has ended.
 * Begins with what the log says, so it may be run again after any crash or error; what was done is not done twice.
 * @throws JobParked; what any job threw, once the others have ended
 */
export async function workOff(work: BatchWork, jobs: readonly BatchJob[], atOnce: number): Promise<void> {
  const groups = sameContent(jobs).values()
  const toItsEnd = async (job: BatchJob, twin: BatchJob | null): Promise<JobOutcome['status']> => {
    for (;;) {
      const end = await work.runJob(job, twin)
      if (end !== 'waiting') return end
      await work.claimEnds(job)
    }
  }
  const runGroups = async (): Promise<void> => {
    for (const [first, ...others] of groups) {
      // The file that brought the content in; as long as all have failed, the first.
      let twin = first!
      await toItsEnd(twin, null)
      for (const job of others) if ((await toItsEnd(job, twin)) !== 'failed') twin = job
    }
  }
  const outcomes = await Promise.allSettled(Array.from({ length: atOnce }, runGroups))
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  await work.endBatch()
}

/** Jobs by content: once a file has brought it in, the others are duplicates. */
function sameContent(jobs: readonly BatchJob[]): BatchJob[][] {
  const groups = new Map<Uuid, BatchJob[]>()
  for (const job of jobs) groups.set(job.mediaId, [...(groups.get(job.mediaId) ?? []), job])
  return [...groups.values()]
}
