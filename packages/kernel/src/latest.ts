export interface LatestOptions {
  /** How long a caller waits for a new answer, in milliseconds; for the very first one twice as long. */
  waitMs: number
  /** How long an answer may be given again, in milliseconds. */
  keptMs: number
}

/**
 * For probes: an answer within a second, whatever the engines do. Kept for longer than Prometheus usually waits from one
 * reading to the next: engines that take longer to answer are then seen a reading late.
 */
const PROMPTLY: LatestOptions = { waitMs: 700, keptMs: 20_000 }

/**
 * Asks once at a time, for all callers. A caller that has waited for `waitMs` gets the last answer; the question goes on.
 * The promise rejects with what the question rejects with, or where the last answer is older than `keptMs`.
 */
export function latest<Answer>(
  ask: () => Promise<Answer>,
  { waitMs, keptMs }: LatestOptions = PROMPTLY,
): () => Promise<Answer> {
  let underWay: Promise<Answer> | null = null
  // What has just started answers slowly, and there is no last answer yet.
  let patienceMs = 2 * waitMs
  let last: { answer: Answer; at: number } | null = null
  async function refresh(): Promise<Answer> {
    try {
      const answer = await ask()
      last = { answer, at: performance.now() }
      return answer
    } finally {
      underWay = null
    }
  }
  return async () => {
    const asked = (underWay ??= refresh())
    const { promise: waited, resolve } = Promise.withResolvers<null>()
    const timer = setTimeout(resolve, patienceMs, null)
    try {
      const answer = await Promise.race([asked.then((value) => ({ value })), waited])
      if (answer) return answer.value
    } finally {
      clearTimeout(timer)
      patienceMs = waitMs
      asked.catch(() => undefined)
    }
    if (last && performance.now() - last.at <= keptMs) return last.answer
    throw new Error(`no answer within ${waitMs / 1_000} s`)
  }
}
