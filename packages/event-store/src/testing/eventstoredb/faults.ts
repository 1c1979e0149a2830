import { EventEmitter } from 'node:events'

interface FaultEvents {
  cut: []
  end: []
  fallBehind: []
}

/** What goes wrong with a server, beside what it does right: set by tests, read by its calls. */
export class Faults {
  /** So many appends are recorded, and their answers lost with the connection. */
  repliesToLose = 0
  /** So many appends are recorded and never answered. */
  repliesToHoldBack = 0
  /** So many appends fail before anything is recorded. */
  appendsToFail = 0
  /** Calls are taken, and nothing happens. */
  hanging = false
  /** The calls that concern one stream, in their order: `append medialog.media-…`, `read $$medialog.media-…`. */
  readonly calls: string[] = []
  /** Reads of a part of `$all` are never answered: the server looks for it in vain. */
  looksForEver = false
  /** How long each read of `$all` waits before it is answered. */
  readAllMs = 0
  /** Reads of `$all`, and the events that they sent. */
  readsOfAll = 0
  eventsOfAll = 0
  /** After how many events reads of `$all` break off, in their order; those that send fewer do not count. */
  breaksOfAll: number[] = []
  /** Open subscriptions say nothing any more, though the connection lives; those opened later do. */
  mute = false
  /** Each subscription is cut once it has sent so many events. */
  cutAfter = Infinity
  /** This server is a follower of that one. */
  leader: { host: string; port: number } | null = null
  /** Scavenges go no further than their first chunk. */
  holdsScavenges = false
  /** A scavenge goes without a word, as with a node that is restarted. */
  forgetsScavenge = false
  /** The user may not read `$all`, or is not known at all. */
  refuses: 'reading $all' | 'the user' | null = null
  /** Users may not scavenge. */
  refusesAdministration = false
  /** Appends that named no revision. */
  appendsAtAnyRevision = 0
  /** Subscriptions that are open now. */
  subscriptions = 0
  /** After which positions subscriptions were opened, in their order; -1: from the start. */
  readonly startedAfter: number[] = []
  readonly happening = new EventEmitter<FaultEvents>().setMaxListeners(0)

  /** Told of each event that a read of `$all` is about to send. */
  breaksOff(sent: number): boolean {
    if (sent >= (this.breaksOfAll[0] ?? Infinity)) {
      this.breaksOfAll.shift()
      return true
    }
    this.eventsOfAll++
    return false
  }

  /** Open subscriptions break. */
  cutSubscriptions(): void {
    this.happening.emit('cut')
  }

  /** Open subscriptions end without an error. */
  endSubscriptions(): void {
    this.happening.emit('end')
  }

  /** Open subscriptions go back to catching up, as they do for slow readers: only another `caughtUp` is sent. */
  fallBehind(): void {
    this.happening.emit('fallBehind')
  }
}
