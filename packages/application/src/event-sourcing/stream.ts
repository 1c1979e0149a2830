import { decodeRecorded, encodeEvent } from '@medialog/contract'
import type { DomainEvent } from '@medialog/domain'
import {
  BEGINNING,
  isoTime,
  type Clock,
  type Decider,
  type LogPosition,
  type NewEvent,
  type RecordedEvent,
  type Revision,
  type StreamName,
} from '@medialog/kernel'
import { newId } from '../core/ids.ts'
import {
  AppendTooLarge,
  EngineUnavailable,
  WrongExpectedRevision,
  type EventStore,
} from '../ports/event-store.ts'
import type { Executed, ExecuteOptions, Origin, PeekOptions } from './executing.ts'

interface PendingLoad {
  kind: 'load'
  resolve: (folded: Folded<unknown>) => void
  reject: (error: unknown) => void
}

interface PendingCommand {
  kind: 'command'
  command: unknown
  origin: Origin
  options: ExecuteOptions<unknown, unknown>
  resolve: (outcome: Executed<unknown>) => void
  reject: (error: unknown) => void
}

interface Decision {
  pending: PendingCommand
  /** Where its events lie among those of the batch. */
  from: number
  to: number
  selected: unknown
  failure: unknown
}

interface UnknownAppend {
  /** Null: the stream was not there. */
  expected: Revision | null
  events: NewEvent[]
}

interface Folded<State> {
  state: State
  revision: Revision | null
  position: LogPosition
}

/** Other writers of the same stream are rare (another process); each conflict means that one of them went on. */
const MOST_CONFLICTS = 50
/** Keeps most appends far below what every engine takes at once; whichever is not is made in two. */
const MOST_COMMANDS_AT_ONCE = 128
/** For so long a stream is taken as this process knew it: one that only reads a stream would never hear what others write. */
const KNOWN_MS = 1_000

/**
 * One stream: its folded state, and the commands that wait for it. Commands that arrive while an append is under way
 * are decided together, one after the other, and appended at once; each has its own outcome.
 */
export class Stream<Command, Event, State> {
  #store: EventStore
  #clock: Clock
  #name: StreamName
  #decider: Decider<Command, Event, State>
  #foldStart: { type: string; count: number } | undefined
  #folded: Folded<State> | null = null
  /** When the store was last asked for what is folded, or took an append to it; of `performance.now()`. */
  #knownAt = -Infinity
  /** What is folded has events that are being appended. */
  #appending = false
  #queue: (PendingCommand | PendingLoad)[] = []
  /** Appends that were reported as failed and may be done, or still be done later. */
  #unknown: UnknownAppend[] = []
  #working = false

  constructor(
    store: EventStore,
    clock: Clock,
    name: StreamName,
    decider: Decider<Command, Event, State>,
    foldStart: { type: string; count: number } | undefined,
  ) {
    this.#store = store
    this.#clock = clock
    this.#name = name
    this.#decider = decider
    this.#foldStart = foldStart
  }

  /** Nothing runs, nothing waits, and nothing is to be remembered. */
  get idle(): boolean {
    return !this.#working && this.#queue.length === 0 && this.#unknown.length === 0
  }

  execute(
    command: Command,
    origin: Origin,
    options: ExecuteOptions<State, unknown>,
  ): Promise<Executed<unknown>> {
    return new Promise((resolve, reject) => {
      const erased = options as ExecuteOptions<unknown, unknown>
      this.#enqueue({ kind: 'command', command, origin, options: erased, resolve, reject })
    })
  }

  /** The events that the stream has by now, from every process. */
  load<T>(
    select: (state: State) => T,
  ): Promise<{ selected: T; revision: Revision | null; position: LogPosition }> {
    return new Promise((resolve, reject) => {
      const deliver = ({ state, revision, position }: Folded<unknown>) =>
        resolve({ selected: select(state as State), revision, position })
      this.#enqueue({ kind: 'load', resolve: deliver, reject })
    })
  }

  /** See Streams.peek. */
  peek<T>(select: (state: State) => T, { pending = false }: PeekOptions): T | undefined {
    const isKnown = this.#folded !== null && (pending || !this.#appending)
    return isKnown && performance.now() - this.#knownAt <= KNOWN_MS ? select(this.#folded!.state) : undefined
  }

  #enqueue(pending: PendingCommand | PendingLoad): void {
    this.#queue.push(pending)
    if (!this.#working) void this.#work()
  }

  async #work(): Promise<void> {
    this.#working = true
    while (this.#queue.length > 0) {
      const next = this.#takeNext()
      try {
        if (next.kind === 'load') next.resolve(await this.#catchUp())
        else await this.#carryOut(next.batch)
      } catch (error) {
        // The outcome of the append is unknown: the next command reads the stream again.
        this.#folded = null
        for (const pending of next.kind === 'load' ? [next] : next.batch) pending.reject(error)
      }
    }
    this.#working = false
  }

  /** One load, or the commands that stand together at the head of the queue. */
  #takeNext(): PendingLoad | { kind: 'commands'; batch: PendingCommand[] } {
    const batch: PendingCommand[] = []
    while (batch.length < MOST_COMMANDS_AT_ONCE) {
      const head = this.#queue[0]
      if (head?.kind !== 'command') break
      batch.push(head)
      this.#queue.shift()
    }
    return batch.length > 0 ? { kind: 'commands', batch } : (this.#queue.shift() as PendingLoad)
  }

  async #carryOut(batch: PendingCommand[]): Promise<void> {
    let kept = this.#folded
    let conflicts = 0
    for (;;) {
      const before = kept ?? (await this.#catchUp())
      const { decisions, events } = this.#decide(batch, before)
      // What is kept may be old where other processes write too. An append would find that out; what does nothing, or
      // refuses all, has to be decided on what holds now.
      if (kept && events.length === 0) {
        kept = null
        continue
      }
      if (
        events.length === 0 &&
        batch.some(({ options }) => options.undoes) &&
        (await this.#makeKnown(before))
      )
        continue
      if (events.length > 0) this.#requireClock()
      try {
        const recorded = events.length > 0 ? await this.#append(before, events) : []
        // Those before it are done or refused for good: they expect the stream where it was.
        if (events.length > 0) this.#unknown = []
        this.#deliver(decisions, recorded)
        return
      } catch (error) {
        // The state holds what was not appended: fold again.
        this.#folded = null
        this.#appending = false
        kept = null
        if (error instanceof AppendTooLarge && batch.length > 1) return this.#carryOutInHalves(batch)
        if (!(error instanceof WrongExpectedRevision)) {
          if (!(error instanceof AppendTooLarge)) this.#unknown.push({ expected: before.revision, events })
          throw error
        }
        if (conflicts++ >= MOST_CONFLICTS) throw error
      }
    }
  }

  /** The log keeps its times permanently, so nothing is appended while the clock is wrong. @throws EngineUnavailable */
  #requireClock(): void {
    const trouble = this.#clock.trouble?.() ?? null
    if (trouble !== null) throw new EngineUnavailable('clock', trouble)
  }

  /**
   * The stream shows nothing to undo. Repeats the appends that were reported as failed, which makes their outcome known: the
   * store does an append once, and refuses it when the stream has gone on without it. True where the stream is to be read
   * again.
   */
  async #makeKnown({ revision }: Folded<State>): Promise<boolean> {
    this.#unknown = this.#unknown.filter(({ expected }) => expected === revision)
    if (this.#unknown.length === 0) return false
    this.#folded = null
    for (let next = this.#unknown[0]; next; next = this.#unknown[0]) {
      try {
        await this.#store.append(this.#name, next.expected ?? 'no-stream', next.events)
      } catch (error) {
        if (!(error instanceof WrongExpectedRevision)) throw error
      }
      this.#unknown.shift()
    }
    return true
  }

  async #carryOutInHalves(batch: PendingCommand[]): Promise<void> {
    const half = batch.length >> 1
    await this.#carryOut(batch.slice(0, half))
    await this.#carryOut(batch.slice(half))
  }

  #decide(batch: PendingCommand[], folded: Folded<State>): { decisions: Decision[]; events: NewEvent[] } {
    const events: NewEvent[] = []
    const decisions = batch.map((pending): Decision => {
      const from = events.length
      const { command, origin, options } = pending
      try {
        if (options.at !== undefined && (options.at !== folded.revision || from > 0))
          throw new WrongExpectedRevision(this.#name, options.at ?? 'no-stream', folded.revision)
        const decided = this.#decider.decide(command as Command, folded.state)
        // One that cannot be written leaves the state as it is, and no event of its command is appended.
        const fresh = decided.map((event) => this.#newEvent(event as unknown as DomainEvent, origin))
        for (const event of decided) folded.state = this.#decider.evolve(folded.state, event)
        events.push(...fresh)
        return { pending, from, to: events.length, selected: options.select?.(folded.state), failure: null }
      } catch (failure) {
        return { pending, from, to: from, selected: undefined, failure }
      }
    })
    return { decisions, events }
  }

  #newEvent(event: DomainEvent, origin: Origin): NewEvent {
    const metadata = { timestamp: isoTime(this.#clock.now()), ...origin }
    return { id: newId(), ...encodeEvent(event), metadata }
  }

  async #append(folded: Folded<State>, events: NewEvent[]): Promise<RecordedEvent[]> {
    const began = performance.now()
    this.#appending = true
    const appended = await this.#store.append(this.#name, folded.revision ?? 'no-stream', events)
    this.#knownAt = began
    this.#appending = false
    folded.revision = appended.revision
    folded.position = appended.position
    return appended.events
  }

  #deliver(decisions: Decision[], recorded: RecordedEvent[]): void {
    const { revision, position } = this.#folded!
    for (const { pending, from, to, selected, failure } of decisions) {
      if (failure) pending.reject(failure)
      else pending.resolve({ events: recorded.slice(from, to), revision: revision ?? -1, position, selected })
    }
  }

  /**
   * Reads what was appended by others since; folds from the start where nothing is kept, or some of it was erased meanwhile. A
   * decision on part of a stream could be wrong. @throws UnreadableEvent at an event of a type or version that this release
   * does not know
   */
  async #catchUp(): Promise<Folded<State>> {
    let folded = this.#folded ?? this.#unfolded()
    const began = performance.now()
    const from = folded.revision === null ? await this.#firstRevision() : folded.revision + 1
    for await (const event of this.#store.read(this.#name, { from })) {
      // What came between was erased with all before it: what it changed is not known, and this is where the stream starts.
      if (folded.revision !== null && event.revision > folded.revision + 1) folded = this.#unfolded()
      folded.state = this.#decider.evolve(folded.state, decodeRecorded(event) as Event)
      folded.revision = event.revision
      folded.position = event.position
    }
    this.#knownAt = began
    return (this.#folded = folded)
  }

  #unfolded(): Folded<State> {
    return { state: this.#decider.initialState(), revision: null, position: BEGINNING }
  }

  async #firstRevision(): Promise<Revision> {
    if (!this.#foldStart) return 0
    let found = 0
    for await (const event of this.#store.read(this.#name, { direction: 'backwards' }))
      if (event.type === this.#foldStart.type && ++found === this.#foldStart.count) return event.revision
    return 0
  }
}
