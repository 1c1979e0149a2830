import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import { MODEL_IN_THE_BOX } from '@medialog/embedder'
import { openSession } from '@medialog/embedder/session'
import { BARE, bareThreads, serveBare, type BareThreads } from './bare-threads.ts'

/** Bare sessions, a text a call. */
export const bareSessions = (threads: number): Promise<BareThreads<string>> =>
  bareThreads(new URL(import.meta.url), threads)

if (!isMainThread && workerData === BARE) {
  const session = await openSession(['onnxruntime-node', 'onnxruntime-web'], MODEL_IN_THE_BOX)
  serveBare(parentPort!, (text: string) => session.embed(text))
}
