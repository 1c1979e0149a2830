import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  EngineUnavailable,
  type Coordination,
  type Damage,
  type Note,
  type StoreName,
  type RebuildProgress,
  type RebuildReport,
} from '@medialog/application/ports'
import type { Timing } from './lease.ts'
import { Sightings } from './sightings.ts'

/** What the leader of a read model is asked for. */
export type Asked =
  | { type: 'rebuild' | 'verify' | 'flushErased'; store: StoreName }
  | { type: 'damaged'; store: StoreName; damage: Damage }

/** A document that the asking process writes and the leader continues. */
export interface Request {
  asked: Asked
  state: 'asked' | 'running' | 'done' | 'failed'
  /** The term that is at it, and how many were before and with it. */
  term: string | null
  attempts: number
  /** Another number as long as somebody is at it. */
  beat: number
  progress: RebuildProgress | null
  reports: RebuildReport[] | null
  error: string | null
}

export const REQUESTS = 'request/'
/** Changes after something was asked: looking at it alone costs little, listing what is asked much. */
export const BELL = 'bell/requests'

async function ring(coordination: Coordination): Promise<void> {
  const before = await coordination.read<number>(BELL)
  // Where another rang meanwhile, the leader finds this request as well.
  await coordination.write(BELL, (before?.value ?? 0) + 1, before)
}

/**
 * Asks the leader, or the next one, and waits for the answer as long as there are heartbeats.
 * @throws EngineUnavailable when nothing is; Error for what failed
 */
export async function askLeader(
  coordination: Coordination,
  timing: Timing,
  asked: Asked,
  onProgress: (progress: RebuildProgress) => void,
  signal: AbortSignal,
): Promise<RebuildReport[] | null> {
  const request: Request = {
    asked,
    state: 'asked',
    term: null,
    attempts: 0,
    beat: 0,
    progress: null,
    reports: null,
    error: null,
  }
  let note = await coordination.write(`${REQUESTS}${randomUUID()}`, request, null)
  if (note === null) throw new Error('a request of that id is there already')
  // Not heard, it is found a little later.
  await ring(coordination).catch(() => undefined)
  const sightings = new Sightings()
  let told = ''
  for (;;) {
    await sleep(timing.lookEvery, undefined, { signal })
    const found = await lookAt(coordination, note)
    if (found === null) throw gone(asked, 'what was asked is not known any more')
    note = found
    const { state, progress, reports, error } = note.value
    if (progress && JSON.stringify(progress) !== told) onProgress(progress)
    told = JSON.stringify(progress)
    if (state === 'done' || state === 'failed') {
      await coordination.remove(note)
      if (state === 'failed') throw new Error(error ?? 'it failed')
      return reports
    }
    if (sightings.unchangedFor(note) < timing.giveUpAfter) continue
    await coordination.remove(note).catch(() => undefined)
    throw gone(asked, 'no process that keeps it up to date was heard of')
  }
}

/** As it is; where that cannot be seen now, as it was. */
async function lookAt(coordination: Coordination, note: Note<Request>): Promise<Note<Request> | null> {
  try {
    return await coordination.read<Request>(note.id)
  } catch (error) {
    if (error instanceof EngineUnavailable) return note
    throw error
  }
}

const gone = ({ type, store }: Asked, why: string): EngineUnavailable =>
  new EngineUnavailable('projections', `${type} of the read models in ${store}: ${why}.`)
