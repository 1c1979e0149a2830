import { EngineUnavailable, type Coordination, type Note, type StoreName } from '@medialog/application/ports'
import type { LogPosition } from '@medialog/kernel'

/** What several hosts in one process agree through; each has a line of its own to it, which may be cut. */
export function createMemoryCoordination() {
  const notes = new Map<string, { value: unknown; revision: number }>()
  const positions = new Map<StoreName, LogPosition>()
  let revisions = 0

  function connect() {
    let isCut = false
    const reach = <T>(work: () => T): Promise<T> =>
      isCut ? Promise.reject(new EngineUnavailable('coordination', 'cut')) : Promise.resolve(work())
    const noteOf = <Value>(id: string): Note<Value> | null => {
      const note = notes.get(id)
      // As it crosses a network: processes share no objects.
      return note ? { id, value: structuredClone(note.value) as Value, revision: `${note.revision}` } : null
    }
    const isAs = (id: string, before: Note<unknown> | null): boolean =>
      before === null ? !notes.has(id) : `${notes.get(id)?.revision}` === before.revision
    const coordination: Coordination = {
      read: <Value>(id: string) => reach(() => noteOf<Value>(id)),
      list: <Value>(beginning: string) =>
        reach(() =>
          [...notes.keys()].filter((id) => id.startsWith(beginning)).map((id) => noteOf<Value>(id)!),
        ),
      write: <Value>(id: string, value: Value, before: Note<unknown> | null) =>
        reach(() => {
          if (!isAs(id, before)) return null
          notes.set(id, { value: structuredClone(value), revision: ++revisions })
          return noteOf<Value>(id)
        }),
      remove: (note) =>
        reach(() => {
          if (isAs(note.id, note)) notes.delete(note.id)
        }),
      positions: () => reach(() => new Map(positions)),
    }
    return {
      coordination,
      cut: () => void (isCut = true),
      mend: () => void (isCut = false),
    }
  }

  return { connect, notes, positions }
}

export type Line = ReturnType<ReturnType<typeof createMemoryCoordination>['connect']>
