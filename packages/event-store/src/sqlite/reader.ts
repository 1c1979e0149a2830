import { setImmediate as nextTurn } from 'node:timers/promises'
import { DatabaseSync } from 'node:sqlite'
import type { EventBatch, ReadAllOptions, ReadOptions } from '@medialog/application/ports'
import type { LogPosition, StreamName } from '@medialog/kernel'
import { describeBroken, type ChainedEvent } from '../chain.ts'
import { LogDamaged } from '../errors.ts'
import type { LogReader } from '../log.ts'
import { Bell } from './bell.ts'
import { Pages, UnreadableRow, type Page } from './pages.ts'
import { Prover } from './prover.ts'
import { isDamage, messageOf } from './sqlite-error.ts'

/**
 * Reads the log of a store that is open in this process, from any of its threads; live notification included. Reads
 * are made in the calling thread, a page of at most 512 events at a time, with a turn of the event loop in between.
 * @throws where there is no log at `path` yet: open the store first
 */
export function openSqliteLogReader({ path }: { path: string }): LogReader {
  return new SqliteLogReader(path)
}

class SqliteLogReader implements LogReader {
  #path: string
  #database: DatabaseSync
  #pages: Pages
  #prover: Prover
  #closing = new AbortController()

  constructor(path: string) {
    this.#path = path
    this.#database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
    this.#pages = new Pages(this.#database)
    this.#prover = new Prover(this.#database)
  }

  async *read(stream: StreamName, options: ReadOptions = {}): AsyncGenerator<ChainedEvent> {
    const { direction = 'forwards', limit = Infinity } = options
    const number = this.#read(() => this.#pages.streamNumber(stream))
    if (number === null) return
    let from = options.from ?? (direction === 'forwards' ? 0 : Number.MAX_SAFE_INTEGER)
    let left = limit
    while (left > 0) {
      const { events, full } = this.#read(() => this.#pages.ofStream(number, from, direction, left))
      yield* events
      if (!full) return
      left -= events.length
      from = events.at(-1)!.revision + (direction === 'forwards' ? 1 : -1)
      await nextTurn()
    }
  }

  async eventAt(position: LogPosition): Promise<ChainedEvent | null> {
    return this.#read(() => this.#pages.after(position - 1, position, 1)).events[0] ?? null
  }

  async *readAll(
    after: LogPosition,
    { limit = Infinity, proven = false }: ReadAllOptions = {},
  ): AsyncGenerator<ChainedEvent> {
    const head = this.#read(() => this.#pages.head())
    const page = (position: LogPosition, limit: number) =>
      proven ? this.#provenPage(position, head, limit) : this.#pages.after(position, head, limit)
    let position = after
    let left = limit
    while (left > 0) {
      const { events, last, full } = this.#read(() => page(position, left))
      yield* events
      if (!full) return
      left -= events.length
      position = last
      await nextTurn()
    }
  }

  async *subscribe(after: LogPosition, { signal }: { signal: AbortSignal }): AsyncGenerator<EventBatch> {
    const stop = AbortSignal.any([signal, this.#closing.signal])
    const bell = new Bell(this.#path)
    let position = after
    let saidLive = false
    try {
      while (!stop.aborted) {
        bell.listenAgain()
        const { events, last, full } = this.#read(() =>
          this.#pages.after(position, Number.MAX_SAFE_INTEGER, Infinity),
        )
        position = last
        if (events.length > 0 || !saidLive) yield { events, position, live: !full }
        saidLive = !full
        if (full) await nextTurn()
        else await bell.rung(stop)
      }
    } finally {
      bell.close()
    }
  }

  async head(): Promise<LogPosition> {
    return this.#read(() => this.#pages.head())
  }

  async close(): Promise<void> {
    this.#closing.abort()
    if (this.#database.isOpen) this.#database.close()
  }

  #provenPage(after: LogPosition, upTo: LogPosition, limit: number): Page {
    const { texts, broken, ...page } = this.#prover.page(after, upTo, limit)
    if (broken) throw new LogDamaged(this.#path, describeBroken(broken))
    return { ...page, events: texts.map((text) => JSON.parse(text) as ChainedEvent) }
  }

  #read<T extends Page | LogPosition | null>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      if (isDamage(error) || error instanceof UnreadableRow)
        throw new LogDamaged(this.#path, messageOf(error), { cause: error })
      throw error
    }
  }
}
