import type { ExaminedEvent } from '@medialog/application/ports'
import { canonicalJson, type Json, type LogPosition, type Revision, type StreamName } from '@medialog/kernel'
import { BROKEN_PREV, brokenLink, firstPrev, headerJson, type ChainedEvent } from '../chain.ts'
import { askForEach } from './several.ts'

/** Where a stream stands. */
export interface Head {
  position: LogPosition
  revision: Revision
  hash: string
}

export interface Proof {
  /** Every event with what is wrong with it, in their order. */
  examined: ExaminedEvent[]
  /** Revisions before them that were deleted for good. */
  erased: number
}

export interface ProverPorts {
  /** The event of that revision, or null where reads do not show it. */
  headAt(stream: StreamName, revision: Revision): Promise<Head | null>
  /** The first revision that is shown. */
  shownFrom(stream: StreamName): Promise<Revision>
}

/** Bounds what the heads of many streams take up: about 5 MB. Whichever is not among them is asked for. */
const MOST_HEADS = 20_000

/**
 * Proves events in the order of the log: each digest and hash recomputed, revisions in order. An event's predecessor is
 * asked for wherever it lies, so that the proof can begin at any position, and memory stays flat however many streams
 * there are.
 */
export class Prover {
  #ports: ProverPorts
  #heads = new Map<StreamName, Head>()

  constructor(ports: ProverPorts) {
    this.#ports = ports
  }

  /** Proofs that go on at the same time do not disturb each other. */
  async prove(page: readonly ChainedEvent[]): Promise<Proof> {
    const asked = await this.#predecessorsOf(page)
    const proof: Proof = { examined: [], erased: 0 }
    const heads = new Map<StreamName, Head>()
    for (const event of page) {
      const { position, stream, revision, hash } = event
      const before = asked.has(event) ? asked.get(event)! : await this.#before(event, heads)
      const examined = await this.#examined(event, before, proof)
      proof.examined.push(examined)
      if (wrongWith(examined) === null) heads.set(stream, { position, revision, hash })
      else heads.delete(stream)
    }
    for (const [stream, head] of heads) {
      if (this.#heads.size >= MOST_HEADS) this.#heads.clear()
      this.#heads.set(stream, head)
    }
    return proof
  }

  /** Of those events whose predecessor does not stand before them on the page. */
  async #predecessorsOf(page: readonly ChainedEvent[]): Promise<Map<ChainedEvent, Head | null>> {
    const last = new Map<StreamName, Revision>()
    const known = new Map<ChainedEvent, Head | null>()
    const unknown: ChainedEvent[] = []
    for (const event of page) {
      const { stream, revision } = event
      const onPage = last.get(stream)
      last.set(stream, revision)
      if (revision === 0 || onPage === revision - 1) continue
      const head = this.#heads.get(stream)
      if (head?.revision === revision - 1) known.set(event, head)
      else unknown.push(event)
    }
    const answers = await askForEach(unknown, ({ stream, revision }) =>
      this.#ports.headAt(stream, revision - 1),
    )
    for (const [event, head] of answers) known.set(event, head)
    return known
  }

  /** What stands before it on the page, unless that is bad itself. */
  async #before({ stream, revision }: ChainedEvent, heads: Map<StreamName, Head>): Promise<Head | null> {
    if (revision === 0) return null
    return heads.get(stream) ?? this.#ports.headAt(stream, revision - 1)
  }

  async #examined(event: ChainedEvent, before: Head | null, proof: Proof): Promise<ExaminedEvent> {
    const { position, stream, revision, type, hash } = event
    const found = { position, stream, revision, type, hash, fault: null, misplaced: null }
    const header = headerJson({ ...event, metadata: canonicalJson(event.metadata as unknown as Json) })
    const links = { ...event, header, data: canonicalJson(event.data) }
    const wrong = brokenLink(links, revision === 0 ? firstPrev(stream) : (before?.hash ?? null))
    if (wrong !== null && wrong !== BROKEN_PREV) return { ...found, fault: wrong }
    return { ...found, misplaced: (await this.#misplaced(event, before, proof)) ?? wrong }
  }

  async #misplaced(
    { position, stream, revision }: ChainedEvent,
    before: Head | null,
    proof: Proof,
  ): Promise<string | null> {
    if (revision > 0 && before === null) {
      // Hidden is what lies below, not what is missing in between.
      if ((await this.#ports.shownFrom(stream)) < revision)
        return `revision ${revision - 1} of its stream is missing`
      proof.erased += revision
    }
    if (before && before.position > position) return `it stands before revision ${revision - 1} of its stream`
    return null
  }
}

/** What is wrong with the event or its place, for people, or null. */
export const wrongWith = ({ fault, misplaced }: ExaminedEvent): string | null => fault ?? misplaced
