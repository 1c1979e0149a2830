import { parentPort, workerData } from 'node:worker_threads'
import { Turn, type FromWorker, type ToWorker, type WorkerStart } from './protocol.ts'
import { openSession } from './session.ts'

/** A session in a thread of its own: says `ready`, then answers one text after the other. */
const port = parentPort!
const answer = (message: FromWorker, transfer: ArrayBuffer[] = []): void =>
  port.postMessage(message, transfer)

const { model, runtimes, turn } = workerData as WorkerStart
const session = await openSession(runtimes, model)

function free(): void {
  Atomics.store(turn, 0, Turn.free)
  Atomics.notify(turn, 0)
}

let last: Promise<void> = Promise.resolve()

async function embed(text: string): Promise<void> {
  if (Atomics.compareExchange(turn, 0, Turn.free, Turn.running) === Turn.over) return
  try {
    const vector = await session.embed(text)
    answer({ type: 'embedded', vector }, [vector.buffer])
  } catch (failure) {
    answer({ type: 'failed', reason: String(failure) })
  } finally {
    free()
  }
}

port.on('message', (message: ToWorker) => {
  // Released under a run, the native session would throw where nobody catches.
  if (message.type === 'stop') void last.then(() => session.release()).finally(() => port.close())
  else last = embed(message.text)
})
// The first run of a session is slow: let it be over before anyone waits for one.
await session.embed('ready')
free()
answer({ type: 'ready', runtime: session.runtime })
