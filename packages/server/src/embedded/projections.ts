import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { MessageChannel, Worker } from 'node:worker_threads'
import { connectProjections, type ConnectedProjections } from '@medialog/projections'
import type { ProjectionsThreadData } from './projections-thread.ts'

/** How soon a thread that died is started again. */
const RESTART_AFTER_MS = 500

/**
 * The projections in a thread of their own. Should it die it is started again: until then nothing is reached, which
 * `/v1/status` shows and commands answer through.
 */
export async function startProjectionsThread(
  data: Omit<ProjectionsThreadData, 'port'>,
  onDeath: (error: unknown) => void,
): Promise<ConnectedProjections> {
  const closing = new AbortController()
  let { connection, thread } = await startThread(data)
  supervise()

  function supervise(): void {
    let cause: unknown
    thread.on('error', (error) => {
      cause = error
    })
    thread.on('exit', () => {
      if (closing.signal.aborted) return
      onDeath(cause)
      void restart()
    })
  }

  async function restart(): Promise<void> {
    while (!closing.signal.aborted)
      try {
        await sleep(RESTART_AFTER_MS)
        ;({ connection, thread } = await startThread(data))
        supervise()
        return
      } catch (error) {
        onDeath(error)
      }
  }

  return {
    position: () => connection.position(),
    reached: (...of) => connection.reached(...of),
    status: () => connection.status(),
    rebuild: (...of) => connection.rebuild(...of),
    verify: (...of) => connection.verify(...of),
    flushErased: () => connection.flushErased(),
    counters: () => connection.counters(),
    async close() {
      closing.abort()
      await connection.close()
      await thread.terminate()
    },
  }
}

/** Resolves once every read model is open and the thread follows the log. */
async function startThread(
  data: Omit<ProjectionsThreadData, 'port'>,
): Promise<{ connection: ConnectedProjections; thread: Worker }> {
  const { port1, port2 } = new MessageChannel()
  const workerData: ProjectionsThreadData = { ...data, port: port2 }
  const url = new URL('projections-thread.ts', import.meta.url)
  const thread = new Worker(url, { workerData, transferList: [port2], name: 'projections' })
  const ended = once(thread, 'exit').then(() =>
    Promise.reject(new Error('the projections thread ended at once')),
  )
  await Promise.race([once(thread, 'message'), ended])
  return { connection: connectProjections(port1), thread }
}
