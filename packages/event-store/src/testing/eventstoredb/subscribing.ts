import { randomUUID } from 'node:crypto'
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js'
import type { Faults } from './faults.ts'
import { caughtUp, checkpoint, confirmation, eventMessage, unavailable } from './messages.ts'
import { send, type ReadCall } from './sending.ts'
import type { ServerLog } from './server-log.ts'

/** A checkpoint is sent whenever so many events, times the client's multiplier, were looked at. */
const CONSIDERED = 32

/** A subscription to all streams: what is there, that this was all, then what comes. Ends with the client, or by a fault. */
export async function subscribing(call: ReadCall, log: ServerLog, faults: Faults): Promise<void> {
  const subscription = new Subscription(call, log, faults)
  const ring = () => subscription.ring()
  const cut = () => subscription.end(() => call.emit('error', unavailable()))
  const close = () => subscription.end(() => call.end())
  const gone = () => subscription.end(() => undefined)
  const behind = () => subscription.fallBehind()
  log.changes.on('grown', ring)
  faults.happening.on('cut', cut).on('end', close).on('fallBehind', behind)
  call.once('cancelled', gone).once('close', gone)
  faults.subscriptions++
  faults.startedAfter.push(startOf(log, call.request.getOptions()!))
  await subscription.run()
  faults.subscriptions--
  log.changes.off('grown', ring)
  faults.happening.off('cut', cut).off('end', close).off('fallBehind', behind)
}

class Subscription {
  #call: ReadCall
  #log: ServerLog
  #faults: Faults
  #options: ReadReq.Options
  #matches: (stream: string) => boolean
  #position: number
  #sent = 0
  #considered = 0
  #live = false
  #ended = false
  /** Those that are opened while others are mute are not. */
  #openedMute: boolean
  #woken = Promise.withResolvers<void>()

  constructor(call: ReadCall, log: ServerLog, faults: Faults) {
    this.#call = call
    this.#log = log
    this.#faults = faults
    this.#options = call.request.getOptions()!
    this.#matches = filterIn(this.#options)
    this.#position = startOf(log, this.#options)
    this.#openedMute = faults.mute
  }

  ring(): void {
    this.#woken.resolve()
    this.#woken = Promise.withResolvers()
  }

  end(how: () => void): void {
    if (this.#ended) return
    this.#ended = true
    how()
    this.ring()
  }

  fallBehind(): void {
    this.#live = false
    this.ring()
  }

  async run(): Promise<void> {
    await send(this.#call, confirmation(randomUUID()))
    while (!this.#ended) {
      const woken = this.#woken.promise
      const isMute = this.#faults.mute && !this.#openedMute
      if (!isMute && (await this.#step())) continue
      if (!this.#ended) await woken
    }
  }

  /** False where there was nothing to say. */
  async #step(): Promise<boolean> {
    const next = this.#log.all[this.#log.indexAt(this.#position + 1)]
    if (next) await this.#consider(next)
    else if (this.#live) return false
    else await this.#goLive()
    return true
  }

  async #consider(next: ServerLog['all'][number]): Promise<void> {
    if (this.#matches(next.stream)) {
      if (this.#sent === this.#faults.cutAfter) return this.end(() => this.#call.emit('error', unavailable()))
      this.#sent++
      await send(this.#call, eventMessage(next))
    }
    this.#position = next.position
    const filter = this.#options.getFilter()
    const every = CONSIDERED * (filter?.getCheckpointintervalmultiplier() ?? 1)
    if (filter && ++this.#considered % every === 0) await send(this.#call, checkpoint(this.#position))
  }

  async #goLive(): Promise<void> {
    this.#live = true
    if (this.#options.hasFilter() && this.#position >= 0) await send(this.#call, checkpoint(this.#position))
    await send(this.#call, caughtUp())
  }
}

/** Starts are exclusive. */
function startOf(log: ServerLog, options: ReadReq.Options): number {
  const asked = options.getAll()!
  if (asked.hasStart()) return -1
  return asked.hasEnd() ? (log.all.at(-1)?.position ?? -1) : Number(asked.getPosition()!.getCommitPosition())
}

/** Which streams are asked for. */
export function filterIn(options: ReadReq.Options): (stream: string) => boolean {
  const prefixes = options.getFilter()?.getStreamIdentifier()?.getPrefixList()
  return prefixes ? (stream) => prefixes.some((prefix) => stream.startsWith(prefix)) : () => true
}
