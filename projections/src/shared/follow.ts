import { setTimeout as sleep } from 'node:timers/promises'
import { periodically } from '@medialog/application/core/periodically'
import {
  READ_MODELS,
  storeOf,
  STORES,
  type Coordination,
  type Note,
  type StoreName,
} from '@medialog/application/ports'
import type { LogPosition } from '@medialog/kernel'
import { countBehind } from '../behind.ts'
import type { ProjectionHost } from '../host.ts'
import type { StoreStatus } from '../hosted.ts'
import type { Log } from '../ports.ts'
import { createReached } from '../reached.ts'
import { leaseOf, TIMING, type Lease, type Timing } from './lease.ts'
import { askLeader, type Asked } from './requests.ts'
import { Sightings } from './sightings.ts'

/** Where the read models stand is looked up that often, and while somebody waits for it. */
const LOOK_MS = 500
const WAITED_FOR_MS = 25
/** Whether leaders live is looked at that often. */
const LEASES_MS = 5_000

export interface FollowOptions {
  coordination: Coordination
  /** For counting what the read models are behind. */
  log: Pick<Log, 'head' | 'subscribe'>
  /** What this process's leases are held by, if it leads any. */
  holder: string | null
  timing?: Timing
  /** How often it reads their positions while no call waits. */
  lookEvery?: () => number
}

/** Projections that other processes run, or other threads: what is known of them is what those left for all to see. */
export interface FollowedProjections extends ProjectionHost {
  /** What is known sooner than by looking. */
  moved: (store: StoreName, position: LogPosition) => void
}

export function followProjections({
  coordination,
  log,
  holder,
  timing = TIMING,
  lookEvery = () => LOOK_MS,
}: FollowOptions): FollowedProjections {
  const reached = createReached()
  const known = new Map<StoreName, LogPosition>()
  const listeners = new Set<(store: StoreName, position: LogPosition) => void>([reached.moved])
  const leases = new Sightings()
  const closing = new AbortController()
  const { signal } = closing
  let waiting = 0
  let wake = (): void => undefined

  function moved(name: StoreName, position: LogPosition): void {
    // What was looked up may be older than what was reported.
    if (position <= (known.get(name) ?? -1)) return
    known.set(name, position)
    for (const listener of listeners) listener(name, position)
  }

  async function look(): Promise<void> {
    for (const [name, position] of await coordination.positions()) moved(name, position)
  }

  async function follow(): Promise<void> {
    while (!signal.aborted) {
      // Unavailable: calls that wait learn it at their timeout.
      await look().catch(() => undefined)
      const pause = waiting > 0 ? WAITED_FOR_MS : lookEvery()
      const woken = new Promise<void>((resolve) => (wake = resolve))
      await Promise.race([sleep(pause, undefined, { signal }).catch(() => undefined), woken])
    }
  }

  async function leasesNow(): Promise<Note<Lease>[]> {
    const notes = await Promise.all(STORES.map((name) => coordination.read<Lease>(leaseOf(name))))
    return notes.filter((note) => note !== null)
  }

  async function lookAtLeases(): Promise<void> {
    for (const note of await leasesNow().catch(() => [])) leases.unchangedFor(note)
  }
  const running = Promise.all([follow(), periodically(LEASES_MS, signal, lookAtLeases)])

  const ask = (asked: Asked, onProgress: Parameters<ProjectionHost['rebuild']>[1] = () => undefined) =>
    askLeader(coordination, timing, asked, onProgress, signal)

  async function statusOf(position: LogPosition, note: Note<Lease> | undefined): Promise<StoreStatus> {
    const behind = await countBehind(log, position)
    const silentMs = note && !note.value.isReleased ? leases.unchangedFor(note) : null
    const isLed = silentMs !== null && silentMs < timing.takeOverAfter
    const { error = null, unwiped = { removals: 0, error: null } } = note?.value ?? {}
    return {
      position,
      ...behind,
      error: isLed ? error : unled(note?.value, silentMs),
      unwiped,
      leader: isLed ? note!.value.name : null,
      isLeader: isLed && note!.value.holder === holder,
    }
  }

  return {
    moved,
    position: reached.position,

    async reached(position, options) {
      waiting++
      wake()
      try {
        return await reached.wait(position, options)
      } finally {
        waiting--
      }
    },

    async status() {
      const [positions, notes] = await Promise.all([coordination.positions(), leasesNow()])
      const led = new Map(notes.map((note) => [note.id, note]))
      const statuses = await Promise.all(
        STORES.map(async (store) => {
          const status = await statusOf(positions.get(store) ?? 0, led.get(leaseOf(store)))
          return [store, status] as const
        }),
      )
      const ofStore = new Map(statuses)
      return READ_MODELS.map((name) => ({ name, ...ofStore.get(storeOf(name))! }))
    },

    rebuild: async (name, onProgress) => (await ask({ type: 'rebuild', store: storeOf(name) }, onProgress))!,
    verify: async (name, onProgress) => (await ask({ type: 'verify', store: storeOf(name) }, onProgress))!,
    // The others hold no content that is erased.
    flushErased: async () => void (await ask({ type: 'flushErased', store: 'catalog' })),
    damaged: (store, damage) =>
      void ask({ type: 'damaged', store, damage }).catch(() => {
        // The next reader of it reports it again.
      }),

    onReached(listener) {
      for (const [name, position] of known) listener(name, position)
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },

    async close() {
      closing.abort()
      wake()
      await running
      reached.close()
    },
  }
}

function unled(lease: Lease | undefined, silentMs: number | null): string {
  if (!lease || silentMs === null) return 'no process keeps it up to date'
  const seconds = Math.round(silentMs / 1_000)
  return `the process that kept it up to date, ${lease.name}, was not heard of for ${seconds} seconds`
}
