import { randomUUID } from 'node:crypto'
import { periodically } from '@medialog/application/core/periodically'
import type { Uuid } from '@medialog/kernel'

/** Small notes in the place where files are staged; their times are by that place's clock. */
export interface HolderNotes {
  write(holder: Uuid, text: string): Promise<void>
  list(): Promise<{ holder: Uuid; writtenAt: number }[]>
  /** Null where it is gone. */
  read(holder: Uuid): Promise<string | null>
  remove(holder: Uuid): Promise<void>
}

export interface HolderTimes {
  /** How often a process says what it holds. */
  noteEveryMs: number
  /** One that has not said so for as long is dead; what is younger is not known to be held yet. */
  deadAfterMs: number
}

/** A process that stands still for minutes is as good as dead: uploads wait for it no longer than that either. */
const TIMES: HolderTimes = { noteEveryMs: 30_000, deadAfterMs: 300_000 }

/**
 * Which staged files the processes hold that share a place: each reports it in a file of its own, again and again. No clock but
 * that of the place is asked.
 */
export class Holders {
  readonly #id: Uuid = randomUUID()
  readonly #notes: HolderNotes
  readonly #held: () => Promise<string[]>
  readonly #times: HolderTimes
  readonly #stopping = new AbortController()
  readonly #noting: Promise<void>

  /** `held`: names of what this process holds right now. */
  constructor(notes: HolderNotes, held: () => Promise<string[]>, times = TIMES) {
    this.#notes = notes
    this.#held = held
    this.#times = times
    // While the place is unavailable no other process can look either.
    const note = (): Promise<void> => this.#note().catch(() => undefined)
    this.#noting = periodically(times.noteEveryMs, this.#stopping.signal, note, { ref: false })
  }

  /** What is held, and since when everything else is unheld. Forgets processes that are dead. */
  async look(): Promise<{ held: Set<string>; before: number }> {
    await this.#note()
    const notes = await this.#notes.list()
    const own = notes.find(({ holder }) => holder === this.#id)
    if (!own) throw new Error('what was just noted is not there')
    const before = own.writtenAt - this.#times.deadAfterMs
    const held = new Set<string>()
    for (const { holder, writtenAt } of notes)
      if (writtenAt < before) await this.#notes.remove(holder)
      else for (const name of ((await this.#notes.read(holder)) ?? '').split('\n')) held.add(name)
    return { held, before }
  }

  /** Lets go of everything. */
  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#noting
    await this.#notes.remove(this.#id).catch(() => undefined)
  }

  async #note(): Promise<void> {
    await this.#notes.write(this.#id, (await this.#held()).join('\n'))
  }
}
