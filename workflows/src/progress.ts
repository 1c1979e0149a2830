/** Percent, and milliseconds: what is known of a job after its start, or its last report, before the next one. */
const STEP = 10
const AT_MOST_EVERY_MS = 5_000

/**
 * Reports the progress of a job, for people: that of a short one not at all, and at most nine times. Disposing waits for what is being
 * reported; `onFailure` receives what that fails with.
 */
export function progressReporter(
  report: (percent: number) => Promise<void>,
  onFailure: (error: unknown) => void = () => undefined,
): AsyncDisposable & { onProgress: (share: number) => void } {
  let reported = { percent: 0, at: performance.now() }
  let reporting: Promise<void> | null = null
  return {
    onProgress(share) {
      const percent = Math.floor((share * 100) / STEP) * STEP
      const isDue = percent > reported.percent && performance.now() - reported.at >= AT_MOST_EVERY_MS
      if (!isDue || percent >= 100 || reporting) return
      reported = { percent, at: performance.now() }
      reporting = report(percent)
        .catch(onFailure)
        .finally(() => (reporting = null))
    },
    async [Symbol.asyncDispose]() {
      await reporting
    },
  }
}
