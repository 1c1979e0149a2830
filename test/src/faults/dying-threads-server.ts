import type { Worker } from 'node:worker_threads'
import { readConfig, startService } from '@medialog/server'

/**
 * The server whose thread named DYING dies whenever SIGUSR2 comes, DEATHS times in a row: as soon as it is there again,
 * it dies again.
 */
const { DYING, DEATHS } = process.env
let threads: Worker[] = []
let left = 0

process.on('worker', (thread: Worker) => {
  if (thread.threadName !== DYING) return
  threads.push(thread)
  if (left > 0) thread.once('online', () => void die())
})
process.on('SIGUSR2', () => {
  left = Number(DEATHS)
  void die()
})

async function die(): Promise<void> {
  left--
  const dying = threads
  threads = []
  for (const thread of dying) await thread.terminate()
}

const service = await startService(readConfig(process.env))
console.log(service.greeting)
process.on('SIGTERM', () => void service.close().then(() => process.exit(0)))
