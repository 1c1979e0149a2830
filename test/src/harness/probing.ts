import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, Worker, workerData } from 'node:worker_threads'

export interface Probe {
  url: string
  headers?: Record<string, string>
}

interface Shared {
  probes: readonly Probe[]
  /** Whether to stop (1), and the longest time an answer took, in milliseconds; how many answers there were. */
  state: Int32Array
}

const PAUSE_MS = 200
const [STOP, LONGEST, ANSWERS] = [0, 1, 2]

/**
 * Sends each probe again and again, as load balancers and Prometheus do, from a thread of its own: the test's own work
 * delays no answer. The function that it returns stops the thread, and returns how many answers there were, and how many
 * milliseconds the slowest took.
 */
export function startProbing(
  probes: readonly Probe[],
): () => Promise<{ answers: number; slowestMs: number }> {
  const state = new Int32Array(new SharedArrayBuffer(12))
  const worker = new Worker(new URL(import.meta.url), { workerData: { probes, state } satisfies Shared })
  const ended = once(worker, 'exit')
  return async () => {
    Atomics.store(state, STOP, 1)
    await ended
    return { answers: state[ANSWERS]!, slowestMs: state[LONGEST]! }
  }
}

async function send({ url, headers = {} }: Probe, state: Int32Array): Promise<void> {
  while (Atomics.load(state, STOP) === 0) {
    const began = performance.now()
    // Before the service listens there is no answer.
    const isAnswered = await fetch(url, { headers })
      .then((answer) => answer.text())
      .then(
        () => true,
        () => false,
      )
    if (isAnswered) {
      state[ANSWERS]!++
      state[LONGEST] = Math.max(state[LONGEST]!, performance.now() - began)
    }
    await sleep(PAUSE_MS)
  }
}

const given = isMainThread ? null : (workerData as Partial<Shared> | null)
if (given?.probes && given.state) for (const probe of given.probes) void send(probe, given.state)
