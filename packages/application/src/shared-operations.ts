import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '@medialog/kernel'
import type { Operation } from './application.ts'
import type { Coordination, Note } from './ports/index.ts'
import { unlessAway } from './unless-away.ts'

/** Operations as processes that share read models tell each other of them. */
export interface SharedOperations {
  /** Tells of it until it has ended and that was told; `changed` settles when there is something new, or at the signal. */
  tell(operation: Operation, changed: (signal: AbortSignal) => Promise<unknown>): Promise<void>
  read(operationId: string): Promise<Operation | null>
  /** All that anybody told of, ended ones only for a while. None where nobody can be asked. */
  list(): Promise<Operation[]>
}

export interface SharedOperationsOptions {
  clock: Clock
  /** It is told of no more often than that, and, as long as it runs, at least every `beatMs`. */
  leastMs?: number
  beatMs?: number
  /** One that nobody told of for so long has died with its process; more than clocks of processes differ. */
  silentMs?: number
}

/** `operation` as it was at `toldAt`, by the clock of the process that runs it. */
interface Told {
  operation: Operation
  toldAt: number
}

const NOTES = 'operation/'
const GONE = 'The process that ran it is gone. Start it again.'
/** How many ended ones are remembered. */
export const KEPT_OPERATIONS = 100

export function shareOperations(
  coordination: Coordination,
  { clock, leastMs = 1_000, beatMs = 5_000, silentMs = 60_000 }: SharedOperationsOptions,
): SharedOperations {
  const idOf = (operationId: string): string => `${NOTES}${operationId}`

  /** As its process would say by now. */
  function shown({ value: { operation, toldAt } }: Note<Told>): Operation {
    if (operation.status !== 'running' || clock.now() - toldAt <= silentMs) return operation
    return { ...operation, status: 'failed', error: GONE, endedAt: toldAt }
  }

  async function write(operation: Operation, before: Note<unknown> | null): Promise<Note<Told> | null> {
    const id = idOf(operation.operationId)
    const told: Told = { operation: structuredClone(operation), toldAt: clock.now() }
    const note = await unlessAway(coordination.write(id, told, before))
    // Where the answer to an earlier write was lost, the next is made over what that left.
    return note ?? (await unlessAway(coordination.read<Told>(id))) ?? null
  }

  const ordered = (notes: readonly Note<Told>[]): Note<Told>[] =>
    notes.toSorted((a, b) => b.value.operation.startedAt - a.value.operation.startedAt)

  async function forget(): Promise<void> {
    const notes = ordered((await unlessAway(coordination.list<Told>(NOTES))) ?? [])
    const ended = notes.filter((note) => shown(note).status !== 'running')
    for (const note of ended.slice(KEPT_OPERATIONS)) await unlessAway(coordination.remove(note))
  }

  return {
    async tell(operation, changed) {
      let note: Note<Told> | null = null
      for (;;) {
        const { status } = operation
        const enough = new AbortController()
        const news = changed(enough.signal).catch(() => undefined)
        note = await write(operation, note)
        if (status !== 'running' && note?.value.operation.status === status) {
          enough.abort()
          break
        }
        // Nobody waits for this: a process that is to end does.
        await sleep(leastMs, undefined, { ref: false })
        await Promise.race([news, sleep(beatMs - leastMs, undefined, { ref: false })])
        enough.abort()
      }
      await forget()
    },

    async read(operationId) {
      const note = await coordination.read<Told>(idOf(operationId))
      return note && shown(note)
    },

    list: async () => ordered((await unlessAway(coordination.list<Told>(NOTES))) ?? []).map(shown),
  }
}
