import type { LogPosition, RecordedEvent } from '@medialog/kernel'

/**
 * Where events are published to, under one publisher's name: exactly once, whatever dies on the way. Of several with the
 * same name the one that was opened last publishes, and the others stop.
 * Contract suite: `describeEventPublisherContract` in packages/messaging.
 */
export interface EventPublisher {
  /**
   * Claims the name the first time, resumes after that: what was left unfinished under it is gone for every reader, and
   * the checkpoint is what they see. To be called again after every failure of `publish`: only then it is known what
   * became of it.
   * @throws PublisherSuperseded, EngineUnavailable
   */
  open(): Promise<PublisherSession>
  /** Whether it is there. @throws EngineUnavailable */
  ask(): Promise<void>
  /** Lets go of what is open. Does not throw. */
  close(): Promise<void>
}

export interface PublisherSession {
  /** What was published up to under this name, by whomever; null where nothing ever was. */
  readonly checkpoint: PublishedUpTo | null
  /**
   * Messages and checkpoint are there for readers together or not at all; those of one key in the order given. One at a
   * time. After a failure the outcome is unknown and the session is over: open another one.
   */
  publish(messages: readonly PublishedMessage[], checkpoint: PublishedUpTo): Promise<void>
}

/** The last event that was published: more than its position, so that another log is not taken for the one that was. */
export type PublishedUpTo = Pick<RecordedEvent, 'position' | 'stream' | 'revision' | 'hash'>

export interface PublishedMessage {
  /** Without what a configuration puts before it. */
  topic: string
  /** Messages with the same key stay in order. */
  key: string
  headers: { [name: string]: string }
  value: string
}

/** Another publisher was opened under the same name after this one. */
export class PublisherSuperseded extends Error {
  constructor(name: string) {
    super(`another publisher named ${name} has taken over: this one has stopped until it is started again`)
    this.name = 'PublisherSuperseded'
  }
}

export interface PublishingStatus {
  /** Up to where the log is published; null until that was first learnt. */
  position: LogPosition | null
  /** Events in the log behind it, to be published or not; null likewise. Counting stops at 1000: at least so many. */
  behind: number | null
  /** Why nothing is published now, in words; null while all is well. */
  trouble: string | null
  /** It needs the operator to continue. */
  stopped: boolean
  /** Since the start. */
  events: number
  transactions: number
  failures: number
}

/** Events on their way to the outside. */
export interface Publishing {
  /** Null: nothing is configured to publish to. */
  status(): Promise<PublishingStatus | null>
  /** @throws EngineUnavailable where the broker does not answer */
  check(): Promise<void>
}

/** What one of several processes sends for all: events to the broker, and to webhooks. */
export type SentPart = 'publisher' | 'webhooks'

/** That, as a process knows it which does not do it. */
export interface SentElsewhere {
  /** Why it stands still, in words; null: it does not. */
  troubles(): Partial<Record<SentPart, string | null>>
}
