import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { MessageChannel, Worker } from 'node:worker_threads'
import { createRestarts } from '@medialog/kernel'
import { connectProjections, type ConnectedProjections } from '@medialog/projections'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { ProjectionsThreadData } from './projections-thread.ts'

/** The projections of this process, as it is configured. */
export function openProjections(
  config: Config,
  hostId: string,
  logger: Logger,
): Promise<ConnectedProjections> {
  const { dataFolder, eventStoreDb, elasticsearch, bucket, sharedFolder, logLevel } = config
  const data = { dataFolder, eventStoreDb, elasticsearch, hostId, bucket, sharedFolder, logLevel }
  return startProjectionsThread(data, (error) =>
    logger.error({ err: error }, 'the projections thread died and is started again'),
  )
}

type Started = Awaited<ReturnType<typeof startThread>>

/**
 * The projections in a thread of their own. Should it die it is started again, ever later when it keeps dying: until
 * then nothing is reached, which `/v1/status` shows and commands answer through. It loses nothing: what it had not
 * committed it reads from the log again.
 */
export async function startProjectionsThread(
  data: Omit<ProjectionsThreadData, 'port'>,
  onDeath: (error: unknown) => void,
): Promise<ConnectedProjections> {
  const closing = new AbortController()
  const { signal } = closing
  const restarts = createRestarts()
  let { connection, thread } = supervised(await startThread(data))
  let restarting: Promise<void> = Promise.resolve()

  function supervised(started: Started): Started {
    restarts.started()
    const onExit = async (): Promise<void> => {
      const error = await started.died
      if (signal.aborted) return
      restarts.died()
      onDeath(error)
      restarting = restart()
    }
    void onExit()
    return started
  }

  async function restart(): Promise<void> {
    while (!signal.aborted)
      try {
        await sleep(restarts.pause(), undefined, { signal })
        ;({ connection, thread } = supervised(await startThread(data)))
        return
      } catch (error) {
        if (signal.aborted) return
        restarts.died()
        onDeath(error)
      }
  }

  return {
    position: (...of) => connection.position(...of),
    reached: (...of) => connection.reached(...of),
    status: () => connection.status(),
    rebuild: (...of) => connection.rebuild(...of),
    verify: (...of) => connection.verify(...of),
    flushErased: () => connection.flushErased(),
    damaged: (...of) => connection.damaged(...of),
    async close() {
      closing.abort()
      await restarting
      await connection.close()
      await thread.terminate()
    },
  }
}

/** Resolves once every read model is open, or known to be damaged, and the thread follows the log. */
async function startThread(
  data: Omit<ProjectionsThreadData, 'port'>,
): Promise<{ connection: ConnectedProjections; thread: Worker; died: Promise<unknown> }> {
  const { port1, port2 } = new MessageChannel()
  const workerData: ProjectionsThreadData = { ...data, port: port2 }
  const url = new URL('projections-thread.ts', import.meta.url)
  const thread = new Worker(url, { workerData, transferList: [port2], name: 'projections' })
  const died = deathOf(thread)
  const cause = await Promise.race([once(thread, 'message').then(() => null), died])
  if (cause !== null) throw cause
  return { connection: connectProjections(port1), thread, died }
}

/** Resolves with what it died of. */
function deathOf(thread: Worker): Promise<unknown> {
  let cause: unknown
  thread.on('error', (error) => {
    cause = error
  })
  return new Promise((resolve) => {
    thread.on('exit', (code) => resolve(cause ?? new Error(`the projections thread ended (${code})`)))
  })
}
