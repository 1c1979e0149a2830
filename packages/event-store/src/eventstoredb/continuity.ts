import { metastreamOf } from '@eventstore/db-client'
import { BEGINNING, type LogPosition } from '@medialog/kernel'
import type { ChainedEvent } from '../chain.ts'
import { isTombstoned } from './failures.ts'
import { decodeEvent } from './stored-event.ts'
import type { TruncationPorts } from './truncations.ts'

export type ContinuityPorts = Pick<TruncationPorts, 'pages' | 'streams'>

/** What identifies an event. */
type Seen = Pick<ChainedEvent, 'stream' | 'revision' | 'position' | 'hash'>

const RESTORE = 'restore the log of the EventStoreDB server from its latest backup'

/** Whether the server still has the log that this process has seen, and not an older copy of it, or another one. */
export class Continuity {
  readonly #ports: ContinuityPorts
  #last: Seen | null = null
  #followed: LogPosition = BEGINNING

  constructor(ports: ContinuityPorts) {
    this.#ports = ports
  }

  /** Up to where the log was seen. */
  get position(): LogPosition {
    return this.#last?.position ?? BEGINNING
  }

  /** A reader saved the position: the log must go up to there. */
  expect(position: LogPosition): void {
    this.#followed = Math.max(this.#followed, position)
  }

  saw(event: ChainedEvent | undefined): void {
    if (!event || event.position <= this.position) return
    const { stream, revision, position, hash } = event
    this.#last = { stream, revision, position, hash }
  }

  /** Why it is not the log that was seen, for people, or null. One attempt. */
  async contradiction(): Promise<string | null> {
    const last = this.#last
    const upTo = Math.max(this.#followed, this.position)
    if (upTo === BEGINNING) return null
    const end = await this.#ports.pages.end()
    if (end < upTo)
      return `the event log ends at position ${end}, but this process has followed one that goes up to ${upTo}: ${RESTORE}`
    if (last === null || (await this.#isThereOrHidden(last))) return null
    return `the event log does not hold the event that this process has seen at position ${last.position}: ${RESTORE}`
  }

  /** Hidden by an erasure since, or by another client: then the stream is damaged, and the log is the same. */
  async #isThereOrHidden({ stream, revision, position, hash }: Seen): Promise<boolean> {
    const { pages, streams } = this.#ports
    const name = streams.onServer(stream)
    try {
      const [found] = (await pages.ofStream(name, revision, 'forwards', 1)) ?? []
      const event = found && decodeEvent(found, stream)
      if (event?.revision === revision && event.position === position && event.hash === hash) return true
      if ((await pages.lastOf(metastreamOf(name))) === null) return false
      const [first] = (await pages.ofStream(name, 0, 'forwards', 1)) ?? []
      return !first || Number(first.revision) > revision
    } catch (error) {
      if (isTombstoned(error)) return true
      throw error
    }
  }
}
