import { once } from 'node:events'
import { Worker, type MessagePort } from 'node:worker_threads'

/** Threads that work off tasks with libraries alone, each taking the next one when it has done its last. */
export interface BareThreads<Task> {
  /** Resolves with the seconds until all of them were done. */
  run(tasks: readonly Task[]): Promise<number>
  close(): Promise<void>
}

/** `module` serves with `serveBare`. */
export async function bareThreads<Task>(module: URL, threads: number): Promise<BareThreads<Task>> {
  const workers = Array.from({ length: threads }, () => new Worker(module, { workerData: BARE }))
  const answer = async (worker: Worker): Promise<void> => {
    const [failure] = (await once(worker, 'message')) as [string | null]
    if (failure !== null) throw new Error(`a bare thread failed: ${failure}`)
  }
  await Promise.all(workers.map(answer))
  return {
    async run(tasks) {
      const rest = tasks.values()
      const begun = performance.now()
      await Promise.all(
        workers.map(async (worker) => {
          for (const task of rest) {
            const done = answer(worker)
            worker.postMessage(task, [])
            await done
          }
        }),
      )
      return (performance.now() - begun) / 1000
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.terminate()))
    },
  }
}

/** What a thread of `bareThreads` is known by. */
export const BARE = 'bare'

/** The inside of such a thread: says null when it is ready and after each task, else what went wrong. */
export function serveBare(port: MessagePort, work: (task: never) => Promise<unknown>): void {
  port.on('message', (task: unknown) => {
    work(task as never).then(
      () => port.postMessage(null, []),
      (failure: unknown) => port.postMessage(String(failure), []),
    )
  })
  port.postMessage(null, [])
}
