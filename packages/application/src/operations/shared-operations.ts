import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '@medialog/kernel'
import { unlessAway } from '../core/unless-away.ts'
import type { Coordination, Note } from '../ports/index.ts'
import type { Operation } from './operation.ts'

/** Operations as processes that share read models tell each other of them. */
export interface SharedOperations {
  /**
   * Takes the turn of its kind and parameters, which one process has at a time. Null: it may start, as it may where no process
   * can be asked; else the id of the operation that runs instead.
   */
  take(operation: Operation): Promise<string | null>
  /** Publishes it until its end is published; `changed` settles when there is something new, or at the signal. */
  tell(operation: Operation, changed: (signal: AbortSignal) => Promise<unknown>): Promise<void>
  read(operationId: string): Promise<Operation | null>
  /** All that processes published, ended ones only for a while. Empty while coordination is unavailable. */
  list(): Promise<Operation[]>
}

export interface SharedOperationsOptions {
  clock: Clock
  /** It is published no more often than that, and, as long as it runs, at least every `beatMs`. */
  leastMs?: number
  beatMs?: number
  /** One without a heartbeat for so long has died with its process; more than clocks of processes differ. */
  silentMs?: number
}

/** `operation` as it was at `toldAt`, by the clock of the process that runs it. */
interface Told {
  operation: Operation
  toldAt: number
}

const NOTES = 'operation/'
const TURNS = 'operation-turn/'
const GONE = 'The process that ran it is gone. Start it again.'
/** How many ended ones are remembered. */
export const KEPT_OPERATIONS = 100

export function shareOperations(
  coordination: Coordination,
  { clock, leastMs = 1_000, beatMs = 5_000, silentMs = 60_000 }: SharedOperationsOptions,
): SharedOperations {
  /** This process's own, as they are rather than as they were published. */
  const telling = new Map<string, Operation>()
  const idOf = (operationId: string): string => `${NOTES}${operationId}`

  /** As its process would say by now. */
  function shown({ value: { operation, toldAt } }: Note<Told>): Operation {
    if (operation.status !== 'running' || clock.now() - toldAt <= silentMs) return operation
    return { ...operation, status: 'failed', error: GONE, endedAt: toldAt }
  }

  const turnOf = ({ kind, parameters }: Operation): string =>
    `${TURNS}${hash('sha256', JSON.stringify([kind, parameters]))}`

  /** The operation that has the turn, by the turn itself until it is published. */
  async function holderOf(turn: Note<Told>): Promise<Operation> {
    const { operationId } = turn.value.operation
    return telling.get(operationId) ?? shown((await coordination.read<Told>(idOf(operationId))) ?? turn)
  }

  async function taken(operation: Operation): Promise<string | null> {
    const id = turnOf(operation)
    for (;;) {
      const turn = await coordination.read<Told>(id)
      const holder = turn && (await holderOf(turn))
      if (holder?.status === 'running') return holder.operationId
      if (await coordination.write(id, toldNow(operation), turn)) return null
    }
  }

  const toldNow = (operation: Operation): Told => ({
    operation: structuredClone(operation),
    toldAt: clock.now(),
  })

  async function write(operation: Operation, before: Note<unknown> | null): Promise<Note<Told> | null> {
    const id = idOf(operation.operationId)
    const note = await unlessAway(coordination.write(id, toldNow(operation), before))
    // Where the answer to an earlier write was lost, the next is made over what that left.
    return note ?? (await unlessAway(coordination.read<Told>(id))) ?? null
  }

  const ordered = (notes: readonly Note<Told>[]): Note<Told>[] =>
    notes.toSorted((a, b) => b.value.operation.startedAt - a.value.operation.startedAt)

  async function forget(): Promise<void> {
    const notes = ordered((await unlessAway(coordination.list<Told>(NOTES))) ?? [])
    const ended = notes.filter((note) => shown(note).status !== 'running')
    for (const note of ended.slice(KEPT_OPERATIONS)) await unlessAway(coordination.remove(note))
    for (const turn of (await unlessAway(coordination.list<Told>(TURNS))) ?? []) {
      const holder = await unlessAway(holderOf(turn))
      if (holder && holder.status !== 'running') await unlessAway(coordination.remove(turn))
    }
  }

  return {
    take: (operation) => unlessAway(taken(operation)),

    async tell(operation, changed) {
      let note: Note<Told> | null = null
      telling.set(operation.operationId, operation)
      for (;;) {
        const { status } = operation
        const enough = new AbortController()
        const news = changed(enough.signal).catch(() => undefined)
        note = await write(operation, note)
        if (status !== 'running' && note?.value.operation.status === status) {
          enough.abort()
          break
        }
        // This does not keep the process alive.
        await sleep(leastMs, undefined, { ref: false })
        await Promise.race([news, sleep(beatMs - leastMs, undefined, { ref: false })])
        enough.abort()
      }
      telling.delete(operation.operationId)
      await forget()
    },

    async read(operationId) {
      const note = await coordination.read<Told>(idOf(operationId))
      return note && shown(note)
    },

    list: async () => ordered((await unlessAway(coordination.list<Told>(NOTES))) ?? []).map(shown),
  }
}
