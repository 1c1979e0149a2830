import { parentPort, workerData } from 'node:worker_threads'
import type { FromWorker, ToWorker, WorkerStart } from '../protocol.ts'

/**
 * Speaks the worker's protocol without a model: dies on the text `die`, and at birth on the runtime that is not there;
 * is busy with the text `endless` until it is stopped, and with `slow` for a while.
 */
const answer = (message: FromWorker): void => parentPort!.postMessage(message, [])
const { runtimes } = workerData as WorkerStart

if (runtimes[0] === 'onnxruntime-web') throw new Error('no such runtime here')

parentPort!.on('message', (message: ToWorker) => {
  if (message.type === 'stop') parentPort!.close()
  else if (message.text === 'endless') return
  else if (message.text === 'slow')
    setTimeout(() => answer({ type: 'embedded', vector: Float32Array.of(4) }), 100)
  else if (message.text === 'die') throw new Error('died over a text')
  else if (message.text === 'fail') answer({ type: 'failed', reason: 'not this one' })
  else answer({ type: 'embedded', vector: Float32Array.of(message.text.length) })
})
answer({ type: 'ready', runtime: runtimes[0]! })
