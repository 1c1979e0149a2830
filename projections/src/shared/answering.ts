import { setTimeout as sleep } from 'node:timers/promises'
import type {
  Coordination,
  Note,
  ReadModelName,
  RebuildProgress,
  RebuildReport,
} from '@medialog/application/ports'
import { explain } from '@medialog/kernel'
import type { Hosted } from '../hosted.ts'
import type { ProjectionLogger } from '../ports.ts'
import type { Timing } from './lease.ts'
import type { Leading } from './led.ts'
import { REQUESTS, type Asked, type Request } from './requests.ts'
import { Sightings } from './sightings.ts'

/** Requests whose leaders ended this often are not tried again: they may be why. */
const MOST_ATTEMPTS = 3
/** An answer that nobody came for is kept for so long. */
const KEPT_MS = 600_000

export interface AnsweringPorts {
  coordination: Coordination
  timing: Timing
  logger: ProjectionLogger
  /** What this process leads now. */
  leading: (readModel: ReadModelName) => Leading | null
}

/** Carries out what is asked of the read models that this process leads, and takes up what former leaders left. */
export class Answering {
  readonly #ports: AnsweringPorts
  readonly #closing = new AbortController()
  readonly #sightings = new Sightings()
  readonly #running: Promise<void>
  readonly #under = new Set<Promise<void>>()

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

  async #run(): Promise<void> {
    const { signal } = this.#closing
    const { coordination, timing, logger } = this.#ports
    while (!signal.aborted) {
      try {
        const notes = await coordination.list<Request>(REQUESTS)
        this.#sightings.keep(notes)
        for (const note of notes) await this.#look(note)
      } catch (error) {
        logger.error({ err: error }, 'what is asked of projections cannot be seen')
      }
      await sleep(timing.lookEvery, undefined, { signal }).catch(() => undefined)
    }
  }

  async #look(note: Note<Request>): Promise<void> {
    const { asked, state, term, attempts } = note.value
    const leading = this.#ports.leading(asked.readModel)
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
    const { coordination, timing, logger } = this.#ports
    const done = new AbortController()
    let note: Note<Request> | null = taken
    let progress: RebuildProgress | null = null

    async function beat(): Promise<void> {
      while (!done.signal.aborted && note !== null) {
        await sleep(timing.renewEvery, undefined, { signal: done.signal }).catch(() => undefined)
        if (done.signal.aborted) return
        await tell({ progress })
      }
    }
    /** Where nobody waits for it any more, or another took it up, nothing more is told. */
    async function tell(news: Partial<Request>): Promise<void> {
      if (note === null) return
      const before = note
      const value: Request = { ...before.value, ...news, beat: before.value.beat + 1 }
      try {
        note = await coordination.write(before.id, value, before)
      } catch (error) {
        logger.error({ err: error }, 'what was asked of projections cannot be answered for now')
        note = await coordination.read<Request>(before.id).catch(() => before)
        if (note && note.value.term !== term.id) note = null
      }
    }

    const beating = beat()
    const outcome = await answer(hosted, taken.value.asked, (news) => (progress = news))
    done.abort()
    await beating
    // What ended because leading did is the next leader's.
    if ('error' in outcome && (this.#closing.signal.aborted || term.lost.aborted)) return
    await tell(outcome)
  }
}

async function answer(
  hosted: Hosted,
  asked: Asked,
  onProgress: (progress: RebuildProgress) => void,
): Promise<
  { state: 'done'; report: RebuildReport | null; progress?: null } | { state: 'failed'; error: string }
> {
  try {
    return { state: 'done', report: await carriedOut(hosted, asked, onProgress) }
  } catch (error) {
    return { state: 'failed', error: explain(error) }
  }
}

async function carriedOut(
  hosted: Hosted,
  asked: Asked,
  onProgress: (progress: RebuildProgress) => void,
): Promise<RebuildReport | null> {
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
