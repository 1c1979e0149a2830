import { randomUUID } from 'node:crypto'
import { jsonEvent } from '@eventstore/db-client'
import { StreamDamaged, type DamagedStream } from '@medialog/application/ports'
import { BEGINNING, createLock, type LogPosition, type StreamName } from '@medialog/kernel'
import { appendAt } from './append-at.ts'
import { isTombstoned } from './failures.ts'
import type { ServerEvent } from './pages.ts'
import { askForEach } from './several.ts'
import { TOMBSTONED, type TruncationPorts } from './truncations.ts'

export interface DamagePorts extends Omit<TruncationPorts, 'mayBegin'> {
  /** Told of each damaged stream once. */
  onDamage: (damage: DamagedStream) => void
}

interface Notes {
  noted: Map<StreamName, DamagedStream>
  /** Revision of the last one. */
  last: bigint | null
  /** No more can be kept. */
  isFull: boolean
}

/** Bounds what is kept and listed: where more streams are damaged, the log has to be restored. */
const MOST = 1_000
/** How long what other processes noted may stay unknown to an append. */
const HEARD_MS = 1_000

/**
 * Streams that were found damaged. They are noted on the server, in a stream beside the log, so that every process knows
 * of what any of them came upon, after a restart too.
 */
export class Damages {
  readonly #ports: DamagePorts
  readonly #notes: string
  readonly #known = new Map<StreamName, { damage: DamagedStream; position: LogPosition }>()
  readonly #oneAtATime = createLock()
  /** What was noted by any process at the last look, and when that began; of `performance.now()`. */
  #heard: Promise<ReadonlyMap<StreamName, DamagedStream>> = Promise.resolve(new Map())
  #heardAt = -Infinity

  constructor(ports: DamagePorts) {
    this.#ports = ports
    // Outside of the log: its streams' names go on with a full stop there.
    this.#notes = ports.streams.prefix.replace(/\.$/, '-damaged')
  }

  /** Whether the event lies behind one that is known to be bad in its stream, or is that. What is hidden shows itself. */
  covers({ stream, position }: { stream: StreamName; position: LogPosition }): boolean {
    const known = this.#known.get(stream)
    return known !== undefined && known.damage.revision !== null && position >= known.position
  }

  /** Keeps what was found, at a position or of the stream as a whole, and answers the error that refuses the stream. */
  note(damage: DamagedStream, position: LogPosition = BEGINNING): StreamDamaged {
    const { stream } = damage
    if (!this.#known.has(stream) && this.#known.size < MOST) {
      this.#known.set(stream, { damage, position })
      this.#ports.onDamage(damage)
      this.#keepSoon(damage)
    }
    return new StreamDamaged(damage)
  }

  /** Carries out work on a stream. @throws StreamDamaged where the stream has a tombstone */
  async guard<T>(stream: StreamName, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (isTombstoned(error)) throw this.note({ stream, revision: null, reason: TOMBSTONED })
      throw error
    }
  }

  /** What this process knows of the stream, or any process noted until a second ago. @throws EngineUnavailable */
  async of(stream: StreamName): Promise<DamagedStream | null> {
    return this.#known.get(stream)?.damage ?? (await this.#notedByAny()).get(stream) ?? null
  }

  /** The stream was mended by its operator. */
  forget(stream: StreamName): void {
    this.#known.delete(stream)
  }

  /** What was noted, of one stream where it is named, and still holds; what `stillDamaged` answers null of was mended. */
  async list(
    stillDamaged: (damage: DamagedStream) => Promise<DamagedStream | null>,
    one?: StreamName,
  ): Promise<DamagedStream[]> {
    const { noted } = await this.#read()
    for (const [stream, { damage }] of this.#known)
      if (!noted.has(stream)) {
        noted.set(stream, damage)
        this.#keepSoon(damage)
      }
    const asked = [...noted.values()].filter(({ stream }) => one === undefined || stream === one)
    const found = await askForEach(asked, stillDamaged)
    for (const [{ stream }, damage] of found) if (damage === null) this.forget(stream)
    return asked.map((damage) => found.get(damage)!).filter((damage) => damage !== null)
  }

  /** Resolves once nothing is being noted. */
  close(): Promise<void> {
    return this.#oneAtATime(async () => undefined)
  }

  #notedByAny(): Promise<ReadonlyMap<StreamName, DamagedStream>> {
    const now = performance.now()
    if (now - this.#heardAt > HEARD_MS) {
      this.#heardAt = now
      this.#heard = this.#read().then(({ noted }) => noted)
      // One that failed is made again by the next append.
      this.#heard.catch(() => (this.#heardAt = -Infinity))
    }
    return this.#heard
  }

  /** Where this fails, the next look at what is damaged tries again. */
  #keepSoon(damage: DamagedStream): void {
    this.#oneAtATime(() => this.#keep(damage)).catch(() => undefined)
  }

  async #keep(damage: DamagedStream): Promise<void> {
    const event = jsonEvent({ id: randomUUID(), type: 'StreamDamaged', data: { ...damage } })
    for (let isDone = false; !isDone;) {
      const { noted, last, isFull } = await this.#read()
      if (noted.has(damage.stream) || isFull) return
      isDone = await appendAt(this.#ports, this.#notes, last, event)
    }
  }

  async #read(): Promise<Notes> {
    const { availability, pages } = this.#ports
    try {
      const page = await availability.attempt(() => pages.ofStream(this.#notes, 0, 'forwards', MOST))
      const notes = (page ?? []).map(noteIn).filter((note) => note !== null)
      const noted = new Map(notes.map((note) => [note.stream, note]))
      return { noted, last: page?.at(-1)?.revision ?? null, isFull: (page?.length ?? 0) >= MOST }
    } catch (error) {
      // Another program ended it for good: each process knows what it meets itself.
      if (isTombstoned(error)) return { noted: new Map(), last: null, isFull: true }
      throw error
    }
  }
}

/** Null for what another program wrote there. */
function noteIn({ data }: ServerEvent): DamagedStream | null {
  const { stream, revision, reason } = (data ?? {}) as Partial<DamagedStream>
  if (typeof stream !== 'string' || typeof reason !== 'string') return null
  return { stream, revision: typeof revision === 'number' ? revision : null, reason }
}
