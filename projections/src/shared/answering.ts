import { setTimeout as sleep } from 'node:timers/promises'
import { periodically } from '@medialog/application/core/periodically'
import {
  STORES,
  type Coordination,
  type Note,
  type StoreName,
  type RebuildProgress,
  type RebuildReport,
} from '@medialog/application/ports'
import { explain } from '@medialog/kernel'
import type { Hosted } from '../hosted.ts'
import type { ProjectionLogger } from '../ports.ts'
import type { Timing } from './lease.ts'
import type { Leading } from './led.ts'
import { BELL, REQUESTS, type Asked, type Request } from './requests.ts'
import { Sightings } from './sightings.ts'

/** Requests whose leaders ended this often are not tried again: they may be why. */
const MOST_ATTEMPTS = 3
/** What is asked is listed that often, whether the bell was heard or not. */
const LISTED_EVERY_MS = 10_000
/** An answer that was not collected is kept for so long. */
const KEPT_MS = 600_000

export interface AnsweringPorts {
  coordination: Coordination
  timing: Timing
  logger: ProjectionLogger
  /** What this process leads now. */
  leading: (store: StoreName) => Leading | null
}

/** Carries out what is asked of the read models that this process leads, and takes up what former leaders left. */
export class Answering {
  readonly #ports: AnsweringPorts
  readonly #closing = new AbortController()
  readonly #sightings = new Sightings()
  readonly #running: Promise<void>
  readonly #under = new Set<Promise<void>>()
  /** How the bell and what is led were when all that is asked was listed. */
  #listed = { with: '', at: -Infinity }
  /** Why it could not be seen what is asked, the last time. */
  #trouble: string | null = null

  constructor(ports: AnsweringPorts) {
    this.#ports = ports
    this.#running = this.#run()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#running
  }

  /** Resolves once nothing is under way: to be called when nothing is led any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#under)
  }

  #run(): Promise<void> {
    const ports = this.#ports
    return periodically(ports.timing.lookEvery, this.#closing.signal, async () => {
      if (STORES.some((name) => ports.leading(name) !== null)) await this.#lookAtAll()
    })
  }

  async #lookAtAll(): Promise<void> {
    const { coordination, logger, leading } = this.#ports
    try {
      const bell = await coordination.read(BELL)
      this.#trouble = null
      const now = [bell?.revision, ...STORES.map((name) => leading(name)?.term.id)].join()
      if (now === this.#listed.with && performance.now() - this.#listed.at < LISTED_EVERY_MS) return
      const notes = await coordination.list<Request>(REQUESTS)
      this.#sightings.keep(notes)
      for (const note of notes) await this.#look(note)
      this.#listed = { with: now, at: performance.now() }
    } catch (error) {
      const trouble = (error as Error).message
      if (trouble !== this.#trouble)
        logger.error({ err: error }, 'what is asked of projections cannot be seen')
      this.#trouble = trouble
    }
  }

  async #look(note: Note<Request>): Promise<void> {
    const { asked, state, term, attempts } = note.value
    const leading = this.#ports.leading(asked.store)
    if (leading === null) return
    if (state === 'done' || state === 'failed') {
      if (this.#sightings.unchangedFor(note) >= KEPT_MS) await this.#ports.coordination.remove(note)
      return
    }
    if (state === 'running' && term === leading.term.id) return
    const { coordination } = this.#ports
    if (attempts === MOST_ATTEMPTS) {
      const error = `${attempts} processes began with it and ended before it was done`
      await coordination.write(note.id, { ...note.value, state: 'failed', error }, note)
      return
    }
    const begun: Request = { ...note.value, state: 'running', term: leading.term.id, attempts: attempts + 1 }
    const taken = await coordination.write(note.id, begun, note)
    if (taken === null) return
    const work = this.#carryOut(taken, leading).finally(() => this.#under.delete(work))
    this.#under.add(work)
  }

  async #carryOut(taken: Note<Request>, { term, hosted }: Leading): Promise<void> {
    const { renewEvery } = this.#ports.timing
    const done = new AbortController()
    const telling = new Telling(this.#ports.coordination, taken)
    let progress: RebuildProgress | null = null

    async function beat(): Promise<void> {
      while (!done.signal.aborted) {
        await sleep(renewEvery, undefined, { signal: done.signal }).catch(() => undefined)
        if (!done.signal.aborted) await telling.tell({ progress })
      }
    }
    const beating = beat()
    const outcome = await answer(hosted, taken.value.asked, (news) => (progress = news))
    done.abort()
    await beating
    const hasEnded = (): boolean => this.#closing.signal.aborted || term.lost.aborted
    // What ended because leading did is the next leader's.
    if (outcome.state === 'failed' && hasEnded()) return
    while (!(await telling.tell(outcome)) && !hasEnded()) await sleep(renewEvery)
  }
}

/** A request as it was written last by the process that has it. */
class Telling {
  readonly #coordination: Coordination
  readonly #term: string | null
  #note: Note<Request> | null

  constructor(coordination: Coordination, taken: Note<Request>) {
    this.#coordination = coordination
    this.#term = taken.value.term
    this.#note = taken
  }

  /** False where the write failed. Without a waiting process, or after another took it up, nothing is written. */
  async tell(news: Partial<Request>): Promise<boolean> {
    if (this.#note === null) return true
    const { id } = this.#note
    try {
      // The last time it may have been written, and not heard of.
      const found = await this.#coordination.read<Request>(id)
      this.#note = found?.value.term === this.#term ? found : null
      if (this.#note === null) return true
      const value: Request = { ...this.#note.value, ...news, beat: this.#note.value.beat + 1 }
      this.#note = await this.#coordination.write(id, value, this.#note)
      return true
    } catch {
      return false
    }
  }
}

async function answer(
  hosted: Hosted,
  asked: Asked,
  onProgress: (progress: RebuildProgress) => void,
): Promise<
  { state: 'done'; reports: RebuildReport[] | null; progress?: null } | { state: 'failed'; error: string }
> {
  try {
    return { state: 'done', reports: await carriedOut(hosted, asked, onProgress) }
  } catch (error) {
    return { state: 'failed', error: explain(error) }
  }
}

async function carriedOut(
  hosted: Hosted,
  asked: Asked,
  onProgress: (progress: RebuildProgress) => void,
): Promise<RebuildReport[] | null> {
  switch (asked.type) {
    case 'rebuild':
    case 'verify':
      return hosted[asked.type](onProgress)
    case 'flushErased':
      await hosted.flushErased()
      return null
    case 'damaged':
      hosted.damaged(asked.damage)
      return null
  }
}
