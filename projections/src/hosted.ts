import { hostname } from 'node:os'
import type {
  Damage,
  StoreName,
  ReadModelStatus,
  RebuildProgress,
  RebuildReport,
} from '@medialog/application/ports'
import { createLock, type LogPosition } from '@medialog/kernel'
import { countBehind } from './behind.ts'
import type { HostPorts, Projected } from './ports.ts'
import { compact, rebuild, remake } from './rebuild.ts'
import { Runner, type RunnerEvents } from './runner.ts'

/** Of each read model in the store. */
export type StoreStatus = Omit<ReadModelStatus, 'name'>

/** This process, for people. */
export const HERE = `${hostname()} (process ${process.pid})`

type Told = Pick<RunnerEvents, 'onReached' | 'onReplaced'>
type OnProgress = (progress: RebuildProgress) => void

/** One store that this process keeps up to date, and rebuilds when asked. */
export class Hosted {
  readonly name: StoreName
  readonly #one: Projected<never> & { runner: Runner<never> }
  readonly #ports: HostPorts
  readonly #closing = new AbortController()
  /** Rebuilds, and closing. */
  readonly #oneAtATime = createLock()

  constructor(one: Projected<never>, ports: HostPorts, told: Told) {
    const { signal } = this.#closing
    const runner: Runner<never> = new Runner(one, ports, {
      ...told,
      remake: () => this.#oneAtATime(() => remake(this.#one, ports, signal)),
      compact: () => this.#oneAtATime(() => compact(this.#one, ports, signal)),
    })
    this.name = runner.name
    this.#one = { ...one, runner }
    this.#ports = ports
  }

  /** Resolves once there is something to read, or it was seen that there is an error. */
  start(): Promise<void> {
    return this.#one.runner.start()
  }

  get position(): LogPosition {
    return this.#one.runner.position
  }

  /** What only the process that keeps it up to date knows. */
  get condition(): Pick<ReadModelStatus, 'error' | 'unwiped'> {
    const { error, unwiped } = this.#one.runner
    return { error, unwiped }
  }

  async status(): Promise<StoreStatus> {
    const { position, condition } = this
    const behind = await countBehind(this.#ports.log, position)
    return { position, ...behind, ...condition, leader: HERE, isLeader: true }
  }

  rebuild(onProgress: OnProgress): Promise<RebuildReport[]> {
    return this.#make(onProgress, true)
  }

  verify(onProgress: OnProgress): Promise<RebuildReport[]> {
    return this.#make(onProgress, false)
  }

  flushErased(): Promise<void> {
    return this.#one.runner.flushErased()
  }

  damaged(damage: Damage): void {
    this.#one.runner.damaged(damage)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#oneAtATime(() => this.#one.runner.close())
  }

  #make(onProgress: OnProgress, swap: boolean): Promise<RebuildReport[]> {
    const { signal } = this.#closing
    return this.#oneAtATime(() => rebuild(this.#one, this.#ports, { swap, onProgress, signal }))
  }
}
