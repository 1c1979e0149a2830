import { isMisplaced } from '@medialog/contract'
import type { Revision, StreamName } from '@medialog/kernel'
import { tellsOfErasure } from '../erasure/tells-of-erasure.ts'
import {
  EngineUnavailable,
  type EventStore,
  type ExaminedEvent,
  type Leaf,
  type LogLeaves,
  type PlacedLeaf,
} from '../ports/index.ts'
import type { Findings } from './findings.ts'
import { LeavesInOrder } from './leaves-in-order.ts'

export interface ComparisonPorts {
  leaves: LogLeaves
  log: Pick<EventStore, 'read'>
}

export interface Comparison {
  /** Events that are what their leaves say. */
  events: number
  /** Leaves whose events were lawfully erased. */
  erased: number
  /** Events behind the last leaf, which their chain alone speaks for. */
  outside: number
}

/** Bounds what is remembered of streams: a few megabytes. */
const MOST_STREAMS = 20_000

/**
 * Holds the log against the leaves, both in their order. What is found at another place than it was recorded, at none, or
 * where nothing was recorded is named. `onLeaf` receives each leaf, in order.
 */
export class LogComparison {
  readonly counts: Comparison = { events: 0, erased: 0, outside: 0 }
  readonly #ports: ComparisonPorts
  readonly #findings: Findings
  readonly #onLeaf: (leaf: Leaf) => void
  readonly #leaves: LeavesInOrder
  readonly #size: number
  /** Leaves that were passed over: their events are missing, unless they come later. */
  readonly #passed = new Map<number, PlacedLeaf>()
  /** By stream: the first revision that is left, where it is a deletion. */
  readonly #deletions = new Map<StreamName, Revision | null>()
  /** By how much positions differ from what was recorded: said once where it begins. */
  #shift = 0

  /** @param size how many leaves there are to be compared */
  constructor(ports: ComparisonPorts, size: number, findings: Findings, onLeaf: (leaf: Leaf) => void) {
    this.#ports = ports
    this.#size = size
    this.#findings = findings
    this.#onLeaf = onLeaf
    this.#leaves = new LeavesInOrder(ports.leaves, size)
  }

  async compare(page: readonly ExaminedEvent[]): Promise<void> {
    for (const event of page) {
      const { type, stream } = event
      if (type !== null && stream !== null && isMisplaced({ type, stream }))
        this.#findings.add('inserted', event, `the service writes no ${type} to such a stream`)
      await this.#place(event)
    }
  }

  async #place(event: ExaminedEvent): Promise<void> {
    let leaf = this.#leaves.peek()
    if (leaf === undefined) {
      await this.#leaves.load()
      leaf = this.#leaves.peek()
    }
    if (leaf && isOf(event, leaf) && event.hash === leaf.hash && event.fault === null) this.#fits(event, leaf)
    else await this.#differs(event, leaf ?? null)
  }

  /** What is left when the log has ended. */
  async end(): Promise<void> {
    while (this.#leaves.index < this.#size) await this.#pass()
    for (const leaf of this.#passed.values())
      this.#findings.add(
        'missing',
        leaf,
        'it was recorded and is missing, and no deletion of its item explains that',
      )
  }

  #fits(event: ExaminedEvent, leaf: PlacedLeaf): void {
    this.#take(leaf)
    this.counts.events++
    const shift = event.position - leaf.position
    if (shift !== 0 && shift !== this.#shift)
      this.#findings.add('reordered', event, `it was recorded at position ${leaf.position}`)
    this.#shift = shift
  }

  async #differs(event: ExaminedEvent, leaf: PlacedLeaf | null): Promise<void> {
    const { fault, hash } = event
    if (leaf && isOf(event, leaf)) {
      this.#take(leaf)
      if (fault !== null || hash !== null)
        this.#findings.add('changed', event, fault ?? 'it is another event than the one recorded here')
      else await this.#gone(leaf, event.misplaced)
      return
    }
    const known = await this.#recorded(event)
    if (known === null) return this.#unknown(event)
    if (known.index < this.#leaves.index) return this.#late(event, known)
    while (this.#leaves.index < known.index) await this.#pass()
    // Its own leaf is the next one by now.
    await this.#place(event)
  }

  /** An event that has no leaf. */
  #unknown(event: ExaminedEvent): void {
    const { fault, misplaced, hash } = event
    const isInside = this.#leaves.index < this.#size
    if (fault !== null) this.#findings.add('changed', event, fault)
    else if (hash === null)
      // Erased before there was a leaf of it: its row of zeros tells nothing more.
      if (misplaced === null) this.counts.erased++
      else this.#findings.add('missing', event, misplaced)
    else if (isInside || misplaced !== null)
      this.#findings.add('inserted', event, misplaced ?? 'no such event was recorded here')
    else this.counts.outside++
  }

  /** An event whose leaf was passed over before, by one that should have come behind it. */
  #late(event: ExaminedEvent, leaf: PlacedLeaf): void {
    const { fault, hash } = event
    const isSame = hash === leaf.hash && fault === null
    if (!this.#passed.delete(leaf.index))
      this.#findings.add('inserted', event, fault ?? 'the event stands there a second time')
    else if (isSame && event.position === leaf.position) this.counts.events++
    else if (isSame || fault !== null)
      this.#findings.add('reordered', event, fault ?? `it was recorded at position ${leaf.position}`)
    else this.#findings.add('changed', event, 'it is another event than the one recorded')
  }

  /** The next leaf's event does not stand where it should. */
  async #pass(): Promise<void> {
    if (this.#leaves.peek() === undefined) await this.#leaves.load()
    const leaf = this.#leaves.peek()!
    this.#take(leaf)
    if (await this.#isErased(leaf)) this.counts.erased++
    else this.#passed.set(leaf.index, leaf)
  }

  /** The place of the leaf's event is empty, or reads do not show the event: `why`, where that is known. */
  async #gone(leaf: PlacedLeaf, why: string | null): Promise<void> {
    if (await this.#isErased(leaf)) this.counts.erased++
    else this.#findings.add('missing', leaf, why ?? 'it was erased, and no deletion of its item tells of it')
  }

  #take(leaf: PlacedLeaf): void {
    this.#onLeaf(leaf)
    this.#leaves.advance()
  }

  async #recorded({ stream, revision }: ExaminedEvent): Promise<PlacedLeaf | null> {
    const [leaf] =
      stream === null || revision === null ? [] : await this.#ports.leaves.ofStream(stream, revision)
    // There may be more leaves by now than are compared.
    return leaf && leaf.index < this.#size ? leaf : null
  }

  /** Lawfully: what is left of its stream begins with the deletion of what stood before. */
  async #isErased({ stream, revision }: Leaf): Promise<boolean> {
    let deletion = this.#deletions.get(stream)
    if (deletion === undefined) {
      deletion = await this.#firstDeletion(stream)
      if (this.#deletions.size >= MOST_STREAMS) this.#deletions.clear()
      this.#deletions.set(stream, deletion)
    }
    return deletion !== null && revision < deletion
  }

  async #firstDeletion(stream: StreamName): Promise<Revision | null> {
    try {
      for await (const first of this.#ports.log.read(stream, { limit: 1 }))
        return tellsOfErasure(first) ? first.revision : null
    } catch (error) {
      // What cannot be read is named for itself.
      if (error instanceof EngineUnavailable) throw error
    }
    return null
  }
}

const isOf = (event: ExaminedEvent, leaf: Leaf): boolean =>
  event.stream === leaf.stream && event.revision === leaf.revision
