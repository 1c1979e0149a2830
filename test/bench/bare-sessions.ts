import { once } from 'node:events'
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads'
import { MODEL_IN_THE_BOX } from '@medialog/embedder'
import { openSession } from '@medialog/embedder/session'

/** Bare sessions in threads of their own, a text a call, as many as there are threads. */
export interface BareSessions {
  /** Embeds all texts, each thread its share. Resolves with the seconds that it took. */
  embed(texts: readonly string[]): Promise<number>
  close: () => Promise<void>
}

export async function bareSessions(threads: number): Promise<BareSessions> {
  const workers = Array.from(
    { length: threads },
    () => new Worker(new URL(import.meta.url), { workerData: 'bare' }),
  )
  const answer = (worker: Worker): Promise<unknown> => once(worker, 'message')
  await Promise.all(workers.map(answer))
  return {
    async embed(texts) {
      const begun = performance.now()
      await Promise.all(
        workers.map(async (worker, at) => {
          const done = answer(worker)
          const share = texts.filter((_, index) => index % threads === at)
          worker.postMessage(share, [])
          await done
        }),
      )
      return (performance.now() - begun) / 1000
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.terminate()))
    },
  }
}

async function serve(): Promise<void> {
  const session = await openSession(['onnxruntime-node', 'onnxruntime-web'], MODEL_IN_THE_BOX)
  parentPort!.on('message', (texts: string[]) => {
    void (async () => {
      for (const text of texts) await session.embed(text)
      parentPort!.postMessage('done', [])
    })()
  })
  parentPort!.postMessage('ready', [])
}

if (!isMainThread && workerData === 'bare') await serve()
