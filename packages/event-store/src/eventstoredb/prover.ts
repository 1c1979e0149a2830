import type { BrokenEvent, ExaminedEvent } from '@medialog/application/ports'
import type { Json, LogPosition, Revision, StreamName } from '@medialog/kernel'
import { canonicalJson } from '../canonical-json.ts'
import { BROKEN_PREV, brokenLink, firstPrev, headerJson, type ChainedEvent } from '../chain.ts'
import { askForEach } from './several.ts'

/** An event of a page: as it was appended, or null where it is none of the service's. */
export interface PagedEvent {
  position: LogPosition
  stream: StreamName
  revision: Revision
  event: ChainedEvent | null
}

/** Where a stream stands. */
export interface Head {
  position: LogPosition
  revision: Revision
  hash: string
}

export interface Proof {
  /** Events found good, before the first bad one. */
  good: number
  /** Revisions before them that were deleted for good. */
  erased: number
  broken: BrokenEvent | null
  /** Those that are good, and the first bad one. */
  examined: ExaminedEvent[]
}

export interface ProverPorts {
  /** The event of that revision, or null where reads do not show it. */
  headAt(stream: StreamName, revision: Revision): Promise<Head | null>
  /** The first revision that is shown. */
  shownFrom(stream: StreamName): Promise<Revision>
}

/** What somebody else appended to a stream of the log. */
export const NOT_OURS = 'the event is none that the service wrote'

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
  async prove(page: readonly PagedEvent[]): Promise<Proof> {
    const asked = await this.#predecessorsOf(page)
    const proof: Proof = { good: 0, erased: 0, broken: null, examined: [] }
    const heads = new Map<StreamName, Head>()
    for (const paged of page) {
      const { position, stream, revision, event } = paged
      const before = asked.get(paged) ?? (revision > 0 && !asked.has(paged) ? heads.get(stream)! : null)
      const examined = await this.#examined(paged, before, proof)
      proof.examined.push(examined)
      const reason = examined.fault ?? examined.misplaced
      if (reason !== null) return { ...proof, broken: { position, stream, revision, reason } }
      heads.set(stream, event!)
      proof.good++
    }
    for (const [stream, { position, revision, hash }] of heads) {
      if (this.#heads.size >= MOST_HEADS) this.#heads.clear()
      this.#heads.set(stream, { position, revision, hash })
    }
    return proof
  }

  /** Every event of the page with what is wrong with it. */
  async examine(page: readonly PagedEvent[]): Promise<ExaminedEvent[]> {
    const examined: ExaminedEvent[] = []
    while (examined.length < page.length)
      examined.push(...(await this.prove(page.slice(examined.length))).examined)
    return examined
  }

  /** Of those events whose predecessor does not stand before them on the page. */
  async #predecessorsOf(page: readonly PagedEvent[]): Promise<Map<PagedEvent, Head | null>> {
    const last = new Map<StreamName, Revision>()
    const known = new Map<PagedEvent, Head | null>()
    const unknown: PagedEvent[] = []
    for (const paged of page) {
      const { stream, revision } = paged
      const onPage = last.get(stream)
      last.set(stream, revision)
      if (revision === 0 || onPage === revision - 1) continue
      const head = this.#heads.get(stream)
      if (head?.revision === revision - 1) known.set(paged, head)
      else unknown.push(paged)
    }
    const answers = await askForEach(unknown, ({ stream, revision }) =>
      this.#ports.headAt(stream, revision - 1),
    )
    for (const [paged, head] of answers) known.set(paged, head)
    return known
  }

  async #examined(paged: PagedEvent, before: Head | null, proof: Proof): Promise<ExaminedEvent> {
    const { position, stream, revision, event } = paged
    const type = event?.type ?? null
    const found: ExaminedEvent = {
      position,
      stream,
      revision,
      type,
      hash: null,
      fault: null,
      misplaced: null,
    }
    if (!event) return { ...found, fault: NOT_OURS }
    const header = headerJson({ ...event, metadata: canonicalJson(event.metadata as unknown as Json) })
    const links = { ...event, header, data: canonicalJson(event.data) }
    const wrong = brokenLink(links, revision === 0 ? firstPrev(stream) : (before?.hash ?? null))
    if (wrong !== null && wrong !== BROKEN_PREV) return { ...found, hash: event.hash, fault: wrong }
    return { ...found, hash: event.hash, misplaced: (await this.#misplaced(paged, before, proof)) ?? wrong }
  }

  async #misplaced(
    { position, stream, revision }: PagedEvent,
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
