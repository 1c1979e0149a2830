import type { Background } from '@medialog/application'
import { NativeConnection, Worker, type Logger, type WorkerOptions } from '@temporalio/worker'
import { DATA_CONVERTER, workflowBundle } from './bundle.ts'
import { filesQueueOf } from './names.ts'
import type { ServerOptions } from './server-options.ts'

export interface WorkersOptions {
  server: ServerOptions
  namespace: string
  taskQueue: string
  activities: NonNullable<WorkerOptions['activities']>
  /** Files of batches that are read at a time. */
  filesAtOnce: number
  /** How long a stop lets steps that are under way finish, in milliseconds, before they are told to stop. */
  graceMs: number
  logger: Logger
  background: Background
}

/** Steps at a time, besides files of batches: each upload is at one of them at most. */
const STEPS_AT_ONCE = 500
/** A step that has not heard by then that it is to stop is left to the next worker. */
const SHUTDOWN_MS = 15_000

/** The workers of this process: they are started again when the server was away, until they are told to stop. */
export class Workers {
  readonly #options: WorkersOptions
  readonly #stopping = new AbortController()
  #running: Promise<void> | null = null
  #trouble: string | null = 'its workers are starting'

  constructor(options: WorkersOptions) {
    this.#options = options
  }

  /** Why no work is done; null: it is. */
  get trouble(): string | null {
    return this.#trouble
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Takes no more steps. Those that are under way after `graceMs` are told to stop, and left to the next worker. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    for (let attempt = 1; !signal.aborted; attempt++)
      try {
        await this.#serve()
      } catch (error) {
        // They worked until now: the first try again comes soon.
        if (this.#trouble === null) attempt = 1
        this.#trouble = `its workers do not run: ${(error as Error).message}`
        await this.#options.background.pause(error, attempt, signal)
      }
  }

  async #serve(): Promise<void> {
    const { server, logger } = this.#options
    const workflows = await workflowBundle(logger)
    const connection = await NativeConnection.connect(server)
    try {
      await this.#work(await this.#createWorkers(connection, workflows))
    } finally {
      await connection
        .close()
        .catch((error: unknown) => logger.warn('closing the connection failed', { error }))
    }
  }

  #createWorkers(
    connection: NativeConnection,
    workflowBundle: NonNullable<WorkerOptions['workflowBundle']>,
  ): Promise<Worker[]> {
    const { namespace, taskQueue, activities, filesAtOnce, graceMs } = this.#options
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
    return Promise.all([
      Worker.create({
        ...common,
        taskQueue,
        workflowBundle,
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
  }

  /** Until one of them fails, or all are told to stop. */
  async #work(workers: readonly Worker[]): Promise<void> {
    const { signal } = this.#stopping
    const shutDown = (): void => {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown()
    }
    signal.addEventListener('abort', shutDown)
    try {
      const runs = workers.map((worker) => worker.run().finally(shutDown))
      this.#trouble = null
      if (signal.aborted) shutDown()
      const ends = await Promise.allSettled(runs)
      for (const end of ends) if (end.status === 'rejected') throw end.reason
    } finally {
      signal.removeEventListener('abort', shutDown)
    }
  }
}
