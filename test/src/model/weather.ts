import { setTimeout as sleep } from 'node:timers/promises'
import { EngineUnavailable, UnreadableFile } from '@medialog/application'
import { xorshift } from '../harness/xorshift.ts'
import type { Crash } from '../crashes/points.ts'
import type { Service } from './service.ts'

/** How the log, the disk and the clock behave while requests run at once. */
export interface Weather {
  /** Milliseconds that an append takes at most before it is done, and a read of a stream before it begins. */
  slowMs: number
  /** Of 100 appends those that are reported as failed: a third each was not done, was done, is done later. */
  failing: number
  /** Milliseconds until read models receive an event, at most. */
  lagMs: number
  /** Of 100 times that a file is read those that take too long. */
  timingOut: number
  /** Milliseconds that reading a file of what is kept takes at most. */
  diskSlowMs: number
  /** Of 100 writes to the disk those that fail. */
  diskFailing: number
  /** Hours by which the clock leaps once, in the middle. */
  leap: number
  /** The account of which nothing can be kept or erased. */
  broken: number | null
  /** Where one of several processes crashes, if it gets there; the others go on. */
  crash: Crash | null
  /** Milliseconds from the first request to the last. */
  spreadMs: number
  /** Milliseconds that it lasts at least: jobs of batches go on after their batch was answered. */
  lastsMs: number
  seed: number
}

/** Appends before the clock leaps, at most. */
const MOST_BEFORE_LEAP = 12
/** When an append that was reported as failed is done after all, at most. */
const LATE_MS = 250

/** Does the work in that weather, and answers once every append that is late was done. */
export async function under<T>(service: Service, weather: Weather, work: () => Promise<T>): Promise<T> {
  const { world } = service
  // From 0 it makes nothing but zeros.
  const next = xorshift(weather.seed | 1)
  const random = (): number => next() / 2 ** 32
  const { append, reads, keep, gets, understand, hears } = world
  let leapsIn = Math.floor(random() * MOST_BEFORE_LEAP)
  const late: Promise<unknown>[] = []
  world.append = async (real) => {
    await sleep(random() * weather.slowMs)
    if (leapsIn-- === 0) service.leap(weather.leap)
    if (random() * 100 >= weather.failing) return real()
    const when = Math.floor(random() * 3)
    if (when === 1) await real()
    if (when === 2)
      late.push(
        sleep(random() * LATE_MS)
          .then(real)
          .catch(ignore),
      )
    throw new EngineUnavailable('event store', 'no answer in time')
  }
  world.reads = async () => {
    if (weather.slowMs > 0) await sleep(random() * weather.slowMs)
  }
  world.keep = async (real) => {
    if (random() * 100 < weather.diskFailing) throw new EngineUnavailable('artifact store', 'the disk failed')
    return real()
  }
  world.gets = async () => {
    if (weather.diskSlowMs > 0) await sleep(random() * weather.diskSlowMs)
  }
  world.understand = async (real) => {
    if (random() * 100 < weather.timingOut) throw new UnreadableFile('timeout', 'Not in time.')
    return real()
  }
  world.hears = async () => {
    await sleep(random() * weather.lagMs)
  }
  const mend = weather.broken === null ? null : await service.breakStorage(weather.broken)
  try {
    const lasting = async (): Promise<T> => {
      const [done] = await Promise.all([work(), sleep(weather.lastsMs)])
      return done
    }
    return await (weather.crash ? service.losingOne(weather.crash, lasting) : lasting())
  } finally {
    Object.assign(world, { append, reads, keep, gets, understand, hears })
    await mend?.()
    await Promise.all(late)
  }
}

const ignore = (): void => undefined
