/* oxlint-disable unicorn/require-post-message-target-origin -- between threads, not windows */
import { channel } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { EngineUnavailable, WrongExpectedRevision } from '@medialog/application/ports'
import type { ExpectedRevision, Revision, StreamName } from '@medialog/kernel'
import { LogDamaged } from '../errors.ts'
import {
  decodeOutcomes,
  encodeAppend,
  type AppendRequest,
  type Field,
  type FromWriter,
  type Outcome,
  type ToWriter,
} from './protocol.ts'
import { messageOf } from './sqlite-error.ts'

/** Resolves once the writer has opened the log. @throws LogDamaged, EngineUnavailable */
export async function startWriter(path: string): Promise<Writer> {
  const thread = new Worker(new URL('./writer.ts', import.meta.url), { workerData: { path }, execArgv: [] })
  const [first] = (await once(thread, 'message')) as [FromWriter]
  if (first.kind === 'open') return new Writer(thread)
  await once(thread, 'exit')
  if (first.kind === 'damaged') throw new LogDamaged(path, first.what)
  throw unavailable(`${path}: ${first.kind === 'failed' ? first.message : 'it did not open'}`)
}

/** Published for every group that was committed: `{ appends }`, how many shared the transaction and its fsync. */
export const GROUP_COMMITTED = 'medialog:event-log:group-committed'
const groupCommitted = channel(GROUP_COMMITTED)

/** With so many waiting the writer is told at once, and commits them while this thread prepares the next. */
const MOST_IN_A_MESSAGE = 8

interface Pending {
  resolve: (outcome: Outcome) => void
  reject: (error: Error) => void
}

/** This thread's end of the writing thread. Requests made in one turn of the event loop cross in few messages. */
export class Writer {
  #thread: Worker
  #pending = new Map<number, Pending>()
  #lastTicket = 0
  #outbox: Field[] = []
  #inOutbox = 0
  #gone: Error | null = null

  constructor(thread: Worker) {
    this.#thread = thread
    thread.on('message', (message: FromWriter) => this.#settle(message))
    thread.on('error', (error) => this.#abandon(`the writer failed: ${messageOf(error)}`))
    thread.on('exit', () => this.#abandon('the log is closed'))
  }

  /** The recorded events as JSON texts. @throws WrongExpectedRevision, EngineUnavailable */
  async append(request: AppendRequest, expected: ExpectedRevision): Promise<string[]> {
    const outcome = await this.#ask((ticket) => this.#enqueue(ticket, request))
    if (outcome.kind === 'recorded') return outcome.events
    if (outcome.kind === 'conflict') throw new WrongExpectedRevision(request.stream, expected, outcome.actual)
    throw unavailable(outcome.kind === 'unavailable' ? outcome.message : 'unexpected answer')
  }

  async truncate(stream: StreamName, before: Revision): Promise<void> {
    const outcome = await this.#ask((ticket) =>
      this.#thread.postMessage({ kind: 'truncate', ticket, stream, before } satisfies ToWriter),
    )
    if (outcome.kind === 'unavailable') throw unavailable(outcome.message)
  }

  async close(): Promise<void> {
    if (this.#gone) return
    this.#flush()
    const exit = once(this.#thread, 'exit')
    this.#thread.postMessage({ kind: 'close' } satisfies ToWriter)
    await exit
  }

  #ask(send: (ticket: number) => void): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      if (this.#gone) return reject(this.#gone)
      const ticket = ++this.#lastTicket
      this.#pending.set(ticket, { resolve, reject })
      send(ticket)
    })
  }

  #enqueue(ticket: number, request: AppendRequest): void {
    if (this.#inOutbox++ === 0) setImmediate(() => this.#flush())
    encodeAppend(this.#outbox, ticket, request)
    if (this.#inOutbox >= MOST_IN_A_MESSAGE) this.#flush()
  }

  #flush(): void {
    if (this.#inOutbox === 0) return
    this.#thread.postMessage({ kind: 'append', fields: this.#outbox } satisfies ToWriter)
    this.#outbox = []
    this.#inOutbox = 0
  }

  #settle(message: FromWriter): void {
    if (message.kind !== 'done') return
    let appends = 0
    for (const { ticket, outcome } of decodeOutcomes(message.fields)) {
      this.#pending.get(ticket)?.resolve(outcome)
      this.#pending.delete(ticket)
      if (outcome.kind !== 'truncated') appends++
    }
    if (appends > 0) groupCommitted.publish({ appends })
  }

  /** What was under way may have been done or not: the same ids again tell. */
  #abandon(why: string): void {
    const gone = (this.#gone ??= unavailable(why))
    for (const { reject } of this.#pending.values()) reject(gone)
    this.#pending.clear()
  }
}

const unavailable = (message: string) => new EngineUnavailable('event log', message)
