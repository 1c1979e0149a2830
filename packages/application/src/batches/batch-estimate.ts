/** How long a job takes where none was measured yet. */
const UNMEASURED_JOB_MS = 2_000

/** Whole seconds until that many jobs have ended, by the mean time of those measured. */
export function estimatedSeconds(jobs: number, meanJobMs: number | null, atOnce: number): number {
  return Math.ceil((Math.ceil(jobs / atOnce) * (meanJobMs ?? UNMEASURED_JOB_MS)) / 1000)
}
