import type {
  ExpectedRevision,
  LogPosition,
  NewEvent,
  RecordedEvent,
  Revision,
  StreamName,
} from '@medialog/kernel'

/**
 * The log of all facts: streams with revisions inside one global order. The judge of every race.
 * Positions grow, and do not say how many events lie between them: where to read on is `BEGINNING`, or the position of
 * an event or a batch.
 * Contract suite: `describeEventStoreContract` in packages/event-store.
 */
export interface EventStore {
  /**
   * Appends atomically and durably (on disk before it answers) if the stream's revision is `expected`.
   * The same ids at the same expected revision again answer with the first outcome.
   * @throws WrongExpectedRevision, AppendTooLarge; RangeError for no events
   */
  append(stream: StreamName, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<Appended>

  /** One stream's events; nothing for a stream that is not there. Forwards from revision 0 by default. */
  read(stream: StreamName, options?: ReadOptions): AsyncIterable<RecordedEvent>

  /** The event at exactly this position; null where no event has it, or not any more. */
  eventAt(position: LogPosition): Promise<RecordedEvent | null>

  /**
   * All events after `after` in global order, up to where the log stands now. With `proven` the chain is recomputed on
   * the way, and reading ends with an error that names the first event that is not as it was written.
   */
  readAll(after: LogPosition, options?: ReadAllOptions): AsyncIterable<RecordedEvent>

  /**
   * All events after `after`, without gap or repeat: first what is there, then what comes, until `signal` aborts.
   * Arrives in batches so that a reader can commit many at once; the first batch with `live` true says: caught up.
   */
  subscribe(after: LogPosition, options: { signal: AbortSignal }): AsyncIterable<EventBatch>

  /** Position of the last event in the log; BEGINNING for an empty one. */
  head(): Promise<LogPosition>

  /**
   * Removes the stream's events below `before`. When it answers no read shows them; their bytes are in no file of the
   * embedded log then, and in those of a server until its operator has them removed.
   * The last event of a stream always stays, so revisions and the hash chain go on.
   */
  truncate(stream: StreamName, before: Revision): Promise<void>

  /** Why appends are refused now, in words; null while they are taken. Reads go on either way. */
  trouble(): string | null

  /**
   * Streams that any process has found damaged. Reads of them and appends to them are refused, and reads of all streams
   * leave their damaged events out; every other stream goes on. Only of the stream that is named, where one is.
   * @throws EngineUnavailable
   */
  damaged(stream?: StreamName): Promise<DamagedStream[]>

  close(): Promise<void>
}

/** Proves that a log is what was written. */
export interface LogVerifier {
  /** Recomputes the chain of the whole log as it stands now, and looks for what is missing. `position` moves from 0 to `head`. */
  verify(onProgress: (progress: { position: LogPosition; head: LogPosition }) => void): Promise<LogReport>

  /**
   * Every event of the log as it stands now, page by page and in order, each with what is wrong with it: it goes on behind
   * what is bad. Where the engine keeps the places of erased events, they are among them.
   */
  examine(): AsyncIterable<ExaminedEvent[]>
}

/** An event as it is found, with the result of checking its chain. */
export interface ExaminedEvent {
  position: LogPosition
  /** Null where it is right. */
  stream: StreamName | null
  /** Null where it is about the stream as a whole. */
  revision: Revision | null
  /** Null where it cannot be read. */
  type: string | null
  /** As it is stored; null for an erased event, and where it cannot be read. */
  hash: string | null
  /** Why it is not what its own hash says, for people, or null. */
  fault: string | null
  /** Why it does not belong behind what stands before it, for people, or null. */
  misplaced: string | null
}

export interface LogReport {
  /** Events found good. */
  events: number
  /** How many places hold nothing any more, because what they held was deleted for good. */
  erased: number
  /** Up to where the log is proven. */
  position: LogPosition
  /** How many events are bad or missing; 1 where the engine does not look behind the first. */
  found: number
  /** The first hundred of them, in the order of the log. */
  findings: BrokenEvent[]
  seconds: number
}

/** Has what was truncated taken out of the files that the log is kept in, for good. */
export interface LogScavenger {
  /**
   * Goes through every place that keeps the log, one after the other; joins what is under way there already. How it ended
   * is in the report, a place that failed included.
   * @throws EngineUnavailable where the nodes are not known
   */
  scavenge(onProgress: (progress: ScavengeProgress) => void): Promise<ScavengeReport>
  /** Ends whatever is under way, wherever it was started from: what was freed stays freed. Answers in how many places. */
  stopScavenge(): Promise<number>
  /** Whether the files still hold the event of a position, truncated or not: no read of the service shows one that is truncated. */
  retains(position: LogPosition): Promise<boolean>
}

export interface ScavengeProgress {
  /** From 0 to 1, as far as known. */
  ratio: number
  /** For people. */
  message: string
}

export interface ScavengeReport {
  places: ScavengedPlace[]
  seconds: number
}

export interface ScavengedPlace {
  /** A server's node, or a file. */
  name: string
  outcome: 'done' | 'stopped' | 'failed'
  freedBytes: number
  /** What was found or went wrong, for people. */
  said: string
}

/** A stream that holds what the service did not write, or does not show what it wrote. */
export interface DamagedStream {
  stream: StreamName
  /** Of the first bad event; null where the stream as a whole is. */
  revision: Revision | null
  /** What is wrong, for people. */
  reason: string
}

/** An event that is not as it was written. */
export interface BrokenEvent {
  position: LogPosition
  /** Null, like `revision`, where the row that would say so is gone. */
  stream: StreamName | null
  revision: Revision | null
  /** What is wrong, for people. */
  reason: string
}

export interface Appended {
  /** The events as recorded, in order; of the first append when this one repeats it. */
  events: RecordedEvent[]
  /** Revision of the last event appended. */
  revision: Revision
  /** Position of the last event appended. */
  position: LogPosition
}

export interface ReadOptions {
  direction?: 'forwards' | 'backwards'
  /** First revision to read (inclusive): default 0 forwards, the end backwards. */
  from?: Revision
  limit?: number
}

export interface ReadAllOptions {
  limit?: number
  proven?: boolean
}

export interface EventBatch {
  /** In order; may be empty where only `live` is said. */
  events: RecordedEvent[]
  /** The position to save once the batch is applied. */
  position: LogPosition
  /** True when nothing more is known to wait behind this batch. */
  live: boolean
}

/** The stream stands elsewhere than the append expected: read again, decide again. */
export class WrongExpectedRevision extends Error {
  readonly stream: StreamName
  readonly expected: ExpectedRevision
  /** The stream's last revision, or null where it has no events. */
  readonly actual: Revision | null

  constructor(stream: StreamName, expected: ExpectedRevision, actual: Revision | null) {
    super(`${stream} is at revision ${actual ?? 'none'}, expected ${expected}`)
    this.name = 'WrongExpectedRevision'
    this.stream = stream
    this.expected = expected
    this.actual = actual
  }
}

/** More than the engine takes in one append: none of it was recorded. */
export class AppendTooLarge extends Error {
  constructor(stream: StreamName, options?: ErrorOptions) {
    super(`an append to ${stream} is larger than the event log takes at once`, options)
    this.name = 'AppendTooLarge'
  }
}

/** A stream cannot be relied on: nothing is decided on it, and trying again does not help. */
export class StreamDamaged extends Error {
  readonly damage: DamagedStream

  constructor(damage: DamagedStream) {
    super(`the stream ${describeDamage(damage)}`)
    this.name = 'StreamDamaged'
    this.damage = damage
  }
}

/** Which stream, where in it, and what is wrong, for people. */
export const describeDamage = ({ stream, revision, reason }: DamagedStream): string =>
  `${stream} is damaged${revision === null ? '' : ` at revision ${revision}`}: ${reason}`

/** An engine is unavailable or cannot take the request now; the outcome is unknown. */
export class EngineUnavailable extends Error {
  readonly engine: string
  readonly retryAfterSeconds: number

  constructor(
    engine: string,
    message: string,
    options: { retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'EngineUnavailable'
    this.engine = engine
    this.retryAfterSeconds = options.retryAfterSeconds ?? 5
  }
}
