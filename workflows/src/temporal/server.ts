import { setTimeout as sleep } from 'node:timers/promises'
import { EngineUnavailable } from '@medialog/application'
import type { Uuid } from '@medialog/kernel'
import {
  Client,
  Connection,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
  WorkflowNotFoundError,
  type ConnectionOptions,
  type Workflow,
  type WorkflowHandle,
  type WorkflowStartOptions,
} from '@temporalio/client'
import { DATA_CONVERTER } from './bundle.ts'
import { explainCall } from './failed-call.ts'
import { endIngestWorkflowId, ingestWorkflowId } from './names.ts'
import { isUnknownAttribute, SearchAttributes, type Subjects } from './search-attributes.ts'
import type { ServerOptions } from './server-options.ts'
import type * as workflows from './workflows.ts'

export interface TemporalServerOptions {
  /** The server's front end, and the credentials for it. */
  to: ServerOptions
  namespace: string
  taskQueue: string
}

/** How long the server may take to answer a call. */
const CALL_MS = 5_000
/** How long it may take over what nothing depends on. */
const LOOK_MS = 1_000
/** A call that may have been lost on its way is made again after so many looks. */
const LOOKS_A_CALL = 12
/** A worker asks for work at least once a minute: one that did not for so long is gone. */
const WORKER_SILENT_MS = 90_000
/** Of what a task queue hands out: activities, as the server numbers it. */
const STEPS = 2

/** Of the workflows that workers of this release carry. */
const TYPES: ReadonlySet<string> = new Set<keyof typeof workflows>(['upload', 'endUpload', 'batch'])

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number]
type Call = ReturnType<Interceptor>

/** gRPC's CANCELLED. */
const CANCELLED = 1

/** A call on a connection that is closed. */
const CLOSED: Pick<Call, 'start' | 'sendMessage' | 'halfClose' | 'cancelWithStatus' | 'getPeer'> = {
  start(metadata, listener) {
    queueMicrotask(() => {
      listener?.onReceiveMessage?.(null)
      listener?.onReceiveStatus?.({ code: CANCELLED, details: 'the connection is closed', metadata })
    })
  },
  sendMessage: () => undefined,
  halfClose: () => undefined,
  cancelWithStatus: () => undefined,
  getPeer: () => 'nobody',
}

/** The client tries a call again by a timer, which nothing stops: what it would throw on a closed connection could not be caught. */
const unlessClosed: Interceptor = (options, nextCall) => {
  try {
    return nextCall(options) as Call
  } catch {
    return CLOSED as Call
  }
}

/** The server as a worker sees it. It is looked for with the first call. */
export class TemporalServer {
  readonly client: Client
  readonly #connection: Connection
  readonly #options: TemporalServerOptions
  readonly #attributes: SearchAttributes

  constructor(options: TemporalServerOptions) {
    const { to, namespace } = options
    this.#options = options
    const channelArgs = { 'grpc.max_reconnect_backoff_ms': 2_000 }
    const interceptors = [makeGrpcRetryInterceptor(defaultGrpcRetryOptions()), unlessClosed]
    this.#connection = Connection.lazy({ ...to, channelArgs, interceptors })
    const { operatorService } = this.#connection
    this.#attributes = new SearchAttributes({
      list: async () =>
        (await this.inTime(() => operatorService.listSearchAttributes({ namespace }), LOOK_MS))
          .customAttributes,
      add: (searchAttributes) =>
        this.inTime(() => operatorService.addSearchAttributes({ namespace, searchAttributes }), LOOK_MS),
    })
    this.client = new Client({ connection: this.#connection, namespace, dataConverter: DATA_CONVERTER })
  }

  /** The call's answer, if it comes within `milliseconds`. */
  inTime<T>(call: () => Promise<T>, milliseconds = CALL_MS): Promise<T> {
    return this.#connection.withDeadline(Date.now() + milliseconds, call)
  }

  /** Starts a workflow that people find by what it is about, where the server can have that. */
  async start<T extends Workflow>(
    type: string,
    options: WorkflowStartOptions<T>,
    subjects: Subjects,
  ): Promise<WorkflowHandle<T>> {
    const start = (also: Partial<WorkflowStartOptions<T>>): Promise<WorkflowHandle<T>> =>
      this.inTime(() => this.client.workflow.start<T>(type, { ...options, ...also }))
    const typedSearchAttributes = await this.#attributes.of(subjects)
    try {
      return await start({ typedSearchAttributes } as Partial<WorkflowStartOptions<T>>)
    } catch (error) {
      if (!isUnknownAttribute(error)) throw error
      this.#attributes.forget()
      return start({})
    }
  }

  /**
   * The answer to a call that the server holds until it has one, however long that is; `look` ends the wait
   * by throwing. A deadline would do it otherwise: within a second of one the server says at once that there is
   * nothing yet, and the client asks again at once.
   */
  async untilAnswered<T>(
    call: () => Promise<T>,
    { everyMs, look }: { everyMs: number; look: () => Promise<void> },
  ): Promise<T> {
    for (;;) {
      const over = new AbortController()
      const answer = this.#connection.withAbortSignal(over.signal, call)
      // It is handled below, or no call waits for it any more.
      answer.catch(() => undefined)
      try {
        for (let looked = 0; looked < LOOKS_A_CALL; looked++) {
          // Cut short once no call waits any more, which is no failure.
          const pause = sleep(everyMs, null, { signal: over.signal }).catch(() => null)
          const answered = await Promise.race([answer.then((value) => ({ value })), pause])
          if (answered !== null) return answered.value
          await look()
        }
      } finally {
        over.abort()
      }
    }
  }

  /**
   * Why the server does not answer; null: it does. It is asked for what it keeps: its front end is there, and its workers
   * are known to it, while its database is unavailable and no workflow goes on.
   */
  async silence(withinMs = CALL_MS): Promise<string | null> {
    const { namespace } = this.#options
    try {
      await this.inTime(() => this.#connection.workflowService.describeNamespace({ namespace }), withinMs)
      return null
    } catch (error) {
      return `Temporal does not answer: ${explainCall(error)}`
    }
  }

  /** Why no worker does the work, as far as the server knows; null: a worker polled recently. */
  async unattended(withinMs = CALL_MS): Promise<string | null> {
    const { namespace, taskQueue: name } = this.#options
    const question = { namespace, taskQueue: { name }, taskQueueType: STEPS }
    try {
      const { pollers } = await this.inTime(
        () => this.#connection.workflowService.describeTaskQueue(question),
        withinMs,
      )
      const since = Date.now() - WORKER_SILENT_MS
      const attended = pollers.some(({ lastAccessTime }) => Number(lastAccessTime?.seconds) * 1000 > since)
      return attended ? null : `no worker asks Temporal for work of the task queue ${name}`
    } catch (error) {
      return `Temporal does not say whether there is a worker: ${explainCall(error)}`
    }
  }

  /** Whether one of the upload's workflows goes on; see standing. @throws EngineUnavailable where that cannot be known */
  async carries(jobId: Uuid, outdatedBefore = Infinity): Promise<boolean> {
    for (const workflowId of [ingestWorkflowId(jobId), endIngestWorkflowId(jobId)])
      if ((await this.standing(workflowId, outdatedBefore)) === 'running') return true
    return false
  }

  /**
   * How that workflow stands. One of an earlier release is ended, where it began before that time (milliseconds since the epoch):
   * no worker of this release can carry it on. @throws EngineUnavailable where that cannot be known
   */
  async standing(workflowId: string, outdatedBefore = Infinity): Promise<'running' | 'ended' | 'closed'> {
    const handle = this.client.workflow.getHandle(workflowId)
    try {
      const { status, type, startTime } = await this.inTime(() => handle.describe())
      if (status.name !== 'RUNNING') return 'closed'
      if (TYPES.has(type) || startTime.getTime() >= outdatedBefore) return 'running'
      await this.inTime(() => handle.terminate('An earlier release began it; the log says where to go on.'))
      return 'ended'
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return 'closed'
      throw new EngineUnavailable('temporal', 'Temporal does not say what it carries.', { cause: error })
    }
  }

  close(): Promise<void> {
    return this.#connection.close()
  }
}
