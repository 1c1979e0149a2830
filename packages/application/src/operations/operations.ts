import { EventEmitter, on, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLock, DomainError, explain, type Clock, type Json } from '@medialog/kernel'
import { newId } from '../core/ids.ts'
import {
  READ_MODELS,
  storeOf,
  STORES,
  type LogReport,
  type LogScavenger,
  type LogVerifier,
  type Projections,
  type ReadModelName,
  type RebuildProgress,
  type RebuildReport,
  type ScavengeReport,
} from '../ports/index.ts'
import type { Operation, OperationRequest, OperationUseCases } from './operation.ts'
import { KEPT_OPERATIONS, type SharedOperations } from './shared-operations.ts'

type Report = (ratio: number, message: string) => void
type Result = { [key: string]: Json }

type Kind = OperationRequest['kind']

/** What each kind of long work does with its parameters. */
export type OperationKinds = {
  [K in Kind]: (request: Extract<OperationRequest, { kind: K }>, report: Report) => Promise<Result>
}

/** What proves the log, or holds something against it. */
const VERIFICATIONS: readonly Kind[] = ['audit-verify', 'log-verify', 'projections-verify']

const hasFailed = ({ status, result }: Operation): boolean =>
  status === 'failed' || result?.intact === false || result?.identical === false

export class OperationRunning extends DomainError {
  constructor(operationId: string) {
    super('OPERATION_RUNNING', 'The same operation is running already.', { operation_id: operationId })
  }
}

/** How often operations of another process are looked at for somebody who watches. */
const LOOK_AGAIN_MS = 1_000

/**
 * Long work that runs inside the server, started and watched by the operator. `shared`: exchanges its state
 * with other processes; null for a single process.
 */
export function createOperations(
  kinds: OperationKinds,
  clock: Clock,
  shared: SharedOperations | null = null,
): OperationUseCases {
  const operations = new Map<string, Operation>()
  const changes = new EventEmitter().setMaxListeners(0)
  const failures = new Map<string, boolean>(VERIFICATIONS.map((kind) => [kind, false]))
  const oneAtATime = createLock()

  function update(operation: Operation, change: Partial<Operation>): void {
    Object.assign(operation, change)
    changes.emit(operation.operationId, structuredClone(operation))
  }

  async function run(operation: Operation, work: (report: Report) => Promise<Result>): Promise<void> {
    const report: Report = (ratio, message) => update(operation, { progress: { ratio, message } })
    try {
      const result = await work(report)
      update(operation, {
        status: 'succeeded',
        result,
        progress: { ratio: 1, message: 'done' },
        endedAt: clock.now(),
      })
    } catch (error) {
      update(operation, { status: 'failed', error: explain(error), endedAt: clock.now() })
    }
    if (failures.has(operation.kind)) failures.set(operation.kind, hasFailed(operation))
    for (const { operationId, status } of operations.values()) {
      if (operations.size <= KEPT_OPERATIONS) break
      if (status !== 'running') operations.delete(operationId)
    }
  }

  /** Newest first, those of other processes among them. */
  async function all(): Promise<Operation[]> {
    const own = structuredClone([...operations.values()]).reverse()
    const others = ((await shared?.list()) ?? []).filter(({ operationId }) => !operations.has(operationId))
    return others.length === 0 ? own : [...own, ...others].sort((a, b) => b.startedAt - a.startedAt)
  }

  async function* watchElsewhere(id: string, signal: AbortSignal): AsyncGenerator<Operation> {
    let last = ''
    while (shared && !signal.aborted) {
      const operation = await shared.read(id)
      if (!operation) return
      const now = JSON.stringify(operation)
      if (now !== last) yield operation
      if (operation.status !== 'running') return
      last = now
      await sleep(LOOK_AGAIN_MS, undefined, { signal }).catch(() => undefined)
    }
  }

  return {
    async start(request) {
      const { kind, ...parameters } = request
      const work = (report: Report): Promise<Result> => kinds[kind](request as never, report)
      const operation = await oneAtATime(async () => {
        const same = (await all()).find(
          (other) =>
            other.status === 'running' &&
            other.kind === kind &&
            JSON.stringify(other.parameters) === JSON.stringify(parameters),
        )
        if (same) throw new OperationRunning(same.operationId)
        const starting: Operation = {
          operationId: newId(),
          kind,
          parameters,
          status: 'running',
          progress: { ratio: 0, message: 'started' },
          result: null,
          error: null,
          startedAt: clock.now(),
          endedAt: null,
        }
        const elsewhere = await shared?.take(starting)
        if (elsewhere) throw new OperationRunning(elsewhere)
        operations.set(starting.operationId, starting)
        return starting
      })
      void run(operation, work)
      void shared?.tell(operation, (signal) => once(changes, operation.operationId, { signal }))
      return structuredClone(operation)
    },

    find: async (id) => structuredClone(operations.get(id)) ?? (await shared?.read(id)) ?? null,
    list: all,
    verifications: () => new Map(failures),

    async *watch(id, signal) {
      const updates = on(changes, id, { signal })
      const current = operations.get(id)
      if (!current) return yield* watchElsewhere(id, signal)
      // What changes while the caller looks at this one is among the updates.
      const first = structuredClone(current)
      yield first
      if (first.status !== 'running') return
      try {
        for await (const [operation] of updates as AsyncIterable<[Operation]>) {
          yield operation
          if (operation.status !== 'running') return
        }
      } catch (error) {
        if (!signal.aborted) throw error
      }
    },
  }
}

/** Rebuilding and verifying a read model while it serves. */
export function projectionOperations(
  projections: Projections,
): Pick<OperationKinds, 'projections-rebuild' | 'projections-verify'> {
  const run = async (
    start: 'rebuild' | 'verify',
    name: ReadModelName,
    report: Report,
  ): Promise<RebuildReport[]> => {
    const progress = ({ phase, position, head }: RebuildProgress) =>
      report(head === 0 ? 1 : Math.min(position / head, 1), `${phase}: ${position} of ${head}`)
    return projections[start](name, progress)
  }

  async function runOne(start: 'rebuild' | 'verify', name: ReadModelName, report: Report): Promise<Result> {
    const reports = await run(start, name, report)
    return resultOf(reports.find(({ readModel }) => readModel === name)!)
  }

  /** One store after the other; what cannot be compared is not the same, and keeps none of the others from being looked at. */
  async function verifyAll(report: Report): Promise<Result> {
    const started = performance.now()
    const found: Result[] = []
    for (const [at, store] of STORES.entries()) {
      const readModels = READ_MODELS.filter((name) => storeOf(name) === store)
      try {
        const one: Report = (ratio, message) =>
          report((at + ratio) / STORES.length, `${readModels.join(', ')}: ${message}`)
        found.push(...(await run('verify', readModels[0]!, one)).map(resultOf))
      } catch (error) {
        found.push(
          ...readModels.map((name) => ({ read_model: name, identical: false, error: explain(error) })),
        )
      }
    }
    return {
      identical: found.every(({ identical }) => identical === true),
      read_models: found,
      seconds: (performance.now() - started) / 1_000,
    }
  }

  return {
    'projections-rebuild': ({ name }, report) => runOne('rebuild', name, report),
    'projections-verify': ({ name }, report) => (name ? runOne('verify', name, report) : verifyAll(report)),
  }
}

/** `log-verify`: succeeds, and its result says what it found. */
export function logOperations(log: Pick<LogVerifier, 'verify'>): Pick<OperationKinds, 'log-verify'> {
  return {
    'log-verify': async (_request, report) =>
      foundOf(
        await log.verify(({ position, head }) => report(position / head, `proving: ${position} of ${head}`)),
      ),
  }
}

/** `log-scavenge`: succeeds with how it ended in each place; `log-scavenge-stop`: with how many it was stopped in. */
export function scavengeOperations(
  log: LogScavenger,
): Pick<OperationKinds, 'log-scavenge' | 'log-scavenge-stop'> {
  return {
    'log-scavenge': async (_request, report) =>
      scavengedOf(await log.scavenge(({ ratio, message }) => report(Math.min(ratio, 1), message))),
    'log-scavenge-stop': async () => ({ stopped: await log.stopScavenge() }),
  }
}

const scavengedOf = ({ places, seconds }: ScavengeReport): Result => ({
  complete: places.every(({ outcome }) => outcome === 'done'),
  freed_bytes: places.reduce((sum, { freedBytes }) => sum + freedBytes, 0),
  places: places.map(({ name, outcome, freedBytes, said }) => ({
    name,
    outcome,
    freed_bytes: freedBytes,
    said,
  })),
  seconds,
})

const foundOf = ({ events, erased, position, found, findings, seconds }: LogReport): Result => ({
  intact: found === 0,
  events,
  erased,
  proven_up_to: position,
  found,
  findings: findings.map((finding) => ({ ...finding })),
  events_per_second: Math.round((events + erased) / Math.max(seconds, 0.001)),
  seconds,
})

const resultOf = (report: RebuildReport): Result => ({
  read_model: report.readModel,
  events: report.events,
  digest_in_service: report.digestInService,
  digest_rebuilt: report.digestRebuilt,
  identical: report.identical,
  swapped: report.swapped,
  seconds: report.seconds,
})
