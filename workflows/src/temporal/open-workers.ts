import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker'
import { DATA_CONVERTER, workflowBundle } from './bundle.ts'
import { filesQueueOf } from './names.ts'
import { sharedRuntime } from './runtime.ts'
import type { ServerOptions } from './server-options.ts'

export interface WorkersToOpen {
  server: ServerOptions
  namespace: string
  taskQueue: string
  activities: NonNullable<WorkerOptions['activities']>
  /** Files of batches that are read at a time. */
  filesAtOnce: number
  /** How long a stop lets steps that are under way finish, in milliseconds, before they are stopped. */
  graceMs: number
  /** Receives the warnings of the client library. */
  onWarning: (what: string, details: unknown) => void
}

export interface OpenWorkers {
  /** Still to be run. */
  workers: readonly Worker[]
  /** Once they have ended. */
  close(): Promise<void>
}

/** Steps at a time, besides files of batches: each upload is at one of them at most. */
const STEPS_AT_ONCE = 500
/** A step that has not heard by then that it is to stop is left to the next worker. */
const SHUTDOWN_MS = 15_000

/** One worker for workflows and their steps, one for files of batches; both over one connection. @throws where the server is unavailable */
export async function openWorkers({
  server,
  namespace,
  taskQueue,
  activities,
  filesAtOnce,
  graceMs,
  onWarning,
}: WorkersToOpen): Promise<OpenWorkers> {
  const logger = sharedRuntime(({ message, meta }) => onWarning(message, meta))
  const workflows = await workflowBundle(logger)
  const connection = await NativeConnection.connect(server)
  const close = (): Promise<void> =>
    connection.close().catch((error: unknown) => logger.warn('closing the connection failed', { error }))
  const common: Omit<WorkerOptions, 'taskQueue'> = {
    connection,
    namespace,
    activities,
    dataConverter: DATA_CONVERTER,
    // A step hears within a second that its batch was cancelled.
    maxHeartbeatThrottleInterval: '1 second',
    shutdownGraceTime: graceMs,
    shutdownForceTime: graceMs + SHUTDOWN_MS,
  }
  try {
    const workers = await Promise.all([
      Worker.create({
        ...common,
        taskQueue,
        workflowBundle: workflows,
        maxConcurrentActivityTaskExecutions: STEPS_AT_ONCE,
        // Work of a process that died is not kept for it any longer.
        stickyQueueScheduleToStartTimeout: '1 second',
      }),
      Worker.create({
        ...common,
        taskQueue: filesQueueOf(taskQueue),
        maxConcurrentActivityTaskExecutions: filesAtOnce,
      }),
    ])
    return { workers, close }
  } catch (error) {
    await close()
    throw error
  }
}
