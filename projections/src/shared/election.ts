import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Coordination } from '@medialog/application/ports'
import { HERE } from '../hosted.ts'
import type { Lease, Timing } from './lease.ts'
import { Sightings } from './sightings.ts'
import { Term } from './term.ts'

interface Candidate {
  coordination: Coordination
  /** The id of its document. */
  lease: string
  /** See Lease. */
  holder: string
  timing: Timing
  signal: AbortSignal
  /** Told at every look that did not win: another leads, or the look failed. */
  onOther: (error: unknown) => void
}

/** Resolves once the lease is this process's. @throws AbortError when `signal` aborts before */
export async function campaign(candidate: Candidate): Promise<Term> {
  const { coordination, lease, holder, timing, signal, onOther } = candidate
  const sightings = new Sightings()
  for (;;) {
    signal.throwIfAborted()
    try {
      const begun = performance.now()
      const note = await coordination.read<Lease>(lease)
      const isFree =
        note === null ||
        note.value.isReleased ||
        note.value.holder === holder ||
        sightings.unchangedFor(note) >= timing.takeOverAfter
      const taken = isFree ? await coordination.write(lease, leaseFor(holder), note) : null
      if (taken) return new Term(coordination, timing, taken, begun)
      onOther(null)
    } catch (error) {
      onOther(error)
    }
    await sleep(timing.lookEvery, undefined, { signal })
  }
}

const leaseFor = (holder: string): Lease => ({
  holder,
  term: randomUUID(),
  name: HERE,
  beat: 0,
  isReleased: false,
  error: null,
  unwiped: { removals: 0, error: null },
})
