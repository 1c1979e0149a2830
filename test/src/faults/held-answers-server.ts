import type { Worker } from 'node:worker_threads'
import { readConfig, startService, type Engines } from '@medialog/server'
import { createExtractiveModel } from '@medialog/understanding'

/** The server with another LEXICON, a module's URL, to answer by; SIGUSR2 ends its first answering thread. */
const threads: Worker[] = []
const noticed = (thread: Worker): void => void threads.push(thread)

function adapt(engines: Engines): Engines {
  process.on('worker', noticed)
  const lexicon = new URL(process.env.LEXICON!)
  const languageModel = createExtractiveModel({ embedder: engines.embedder, lexicon })
  // Threads are told of after the turn in which they are made.
  setImmediate(() => process.off('worker', noticed))
  return {
    ...engines,
    languageModel,
    async close() {
      await languageModel.close()
      await engines.close()
    },
  }
}

// The last: threads that the engines made just before are told of as late.
process.on('SIGUSR2', () => void threads.at(-1)!.terminate())
const service = await startService(readConfig(process.env), { adapt })
console.log(service.greeting)
process.on('SIGTERM', () => void service.close().then(() => process.exit(0)))
