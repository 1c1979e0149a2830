/* oxlint-disable unicorn/require-post-message-target-origin -- between threads, not windows */
import { channel } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { EngineUnavailable, WrongExpectedRevision } from '@medialog/application/ports'
import type { ExpectedRevision, LogPosition, Revision, StreamName } from '@medialog/kernel'
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

/** Told what happened to the writer, in words, and why where that is known. */
export type OnTrouble = (what: string, cause: unknown) => void

/** Resolves once the writer has opened the log. @throws LogDamaged, EngineUnavailable */
export async function startWriter(path: string, onTrouble: OnTrouble): Promise<Writer> {
  return new Writer(path, await startThread(path), onTrouble)
}

async function startThread(path: string): Promise<Worker> {
  const url = new URL('./writer.ts', import.meta.url)
  const thread = new Worker(url, { workerData: { path }, name: 'log-writer', execArgv: [] })
  const exit = once(thread, 'exit')
  const ended = exit.then((): [FromWriter] => [{ kind: 'failed', message: 'the writer ended at once' }])
  const [first] = (await Promise.race([once(thread, 'message'), ended])) as [FromWriter]
  if (first.kind === 'open') return thread
  await exit
  if (first.kind === 'damaged') throw new LogDamaged(path, first.what)
  const why = first.kind === 'failed' ? first.message : 'it did not say that it is open'
  throw unavailable(`the event log ${path} could not be opened: ${why}`)
}

/** Published for every group that was committed: `{ appends }`, how many shared the transaction and its fsync. */
export const GROUP_COMMITTED = 'medialog:event-log:group-committed'
const groupCommitted = channel(GROUP_COMMITTED)

/** With so many waiting the writer is woken at once, and commits them while this thread prepares the next. */
const MOST_IN_A_MESSAGE = 8

/** How soon a writer that died is started again: twice as long each time, until one has lived a while. */
const FIRST_RESTART_MS = 50
const LAST_RESTART_MS = 10_000
const LIVED_A_WHILE_MS = 60_000
/** Without one that lives a while it is given up after so many. */
const MOST_RESTARTS = 50

interface Pending {
  resolve: (outcome: Outcome) => void
  reject: (error: Error) => void
}

/**
 * This thread's end of the writing thread. Requests made in one turn of the event loop cross in few messages. A writer
 * that dies is started again, and proves the end of the log before it takes the first append; until then appends are
 * refused.
 */
export class Writer {
  #path: string
  #thread: Worker
  #onTrouble: OnTrouble
  #pending = new Map<number, Pending>()
  #lastTicket = 0
  #outbox: Field[] = []
  #inOutbox = 0
  /** Why it is down, or null. */
  #gone: EngineUnavailable | null = null
  #closing = new AbortController()
  #restarting: Promise<void> = Promise.resolve()
  #restarts = 0

  constructor(path: string, thread: Worker, onTrouble: OnTrouble) {
    this.#path = path
    this.#onTrouble = onTrouble
    this.#thread = this.#attend(thread)
  }

  /** Why nothing can be written now, or null. */
  get trouble(): string | null {
    return this.#gone && this.#gone.message
  }

  /** The recorded events as JSON texts. @throws WrongExpectedRevision, EngineUnavailable */
  async append(request: AppendRequest, expected: ExpectedRevision): Promise<string[]> {
    const outcome = await this.#ask((ticket) => this.#enqueue(ticket, request))
    if (outcome.kind === 'recorded') return outcome.events
    if (outcome.kind === 'conflict') throw new WrongExpectedRevision(request.stream, expected, outcome.actual)
    throw unavailable(outcome.kind === 'unavailable' ? outcome.message : 'unexpected answer')
  }

  async truncate(stream: StreamName, before: Revision): Promise<void> {
    const outcome = await this.#ask((ticket) => this.#say({ kind: 'truncate', ticket, stream, before }))
    if (outcome.kind === 'unavailable') throw unavailable(outcome.message)
  }

  /** The log is proven up to there: the next start need not do it again. */
  noteProven(position: LogPosition): void {
    if (!this.#gone) this.#say({ kind: 'proven', position })
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#restarting
    if (this.#gone) return
    this.#flush()
    const exit = once(this.#thread, 'exit')
    this.#say({ kind: 'close' })
    await exit
  }

  #say(message: ToWriter): void {
    this.#thread.postMessage(message)
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
    this.#say({ kind: 'append', fields: this.#outbox })
    this.#emptyOutbox()
  }

  #emptyOutbox(): void {
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

  #attend(thread: Worker): Worker {
    const started = performance.now()
    let cause: unknown = null
    thread.on('message', (message: FromWriter) => this.#settle(message))
    thread.on('error', (error) => {
      cause = error
    })
    thread.on('exit', () => {
      if (this.#closing.signal.aborted) return this.#abandon('the log is closed')
      this.#abandon('the writer of the log died: it is being started again')
      this.#onTrouble('the writer of the log died', cause)
      if (performance.now() - started > LIVED_A_WHILE_MS) this.#restarts = 0
      this.#restarting = this.#restart()
    })
    return thread
  }

  /** What was under way may have been done or not: the same ids again tell. */
  #abandon(why: string): void {
    this.#gone = unavailable(why)
    for (const { reject } of this.#pending.values()) reject(this.#gone)
    this.#pending.clear()
    this.#emptyOutbox()
  }

  async #restart(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted && this.#restarts < MOST_RESTARTS) {
      const pause = Math.min(FIRST_RESTART_MS * 2 ** this.#restarts++, LAST_RESTART_MS)
      await sleep(pause, undefined, { signal }).catch(() => undefined)
      if (signal.aborted) return
      try {
        this.#thread = this.#attend(await startThread(this.#path))
        this.#gone = null
        return
      } catch (error) {
        this.#onTrouble('the writer of the log could not be started again', error)
        if (error instanceof LogDamaged) return this.#abandon(error.message)
      }
    }
    if (!signal.aborted) this.#abandon('the writer of the log keeps dying: the service has to be restarted')
  }
}

const unavailable = (message: string) => new EngineUnavailable('event log', message)
