import { useStore } from '../data/store.ts'
import { useSession } from '../session/session.ts'

/** The API deletes so many at once. */
export const MOST_SELECTED = 100

/** Items that were chosen, to do something with all of them: their names by id. They stay chosen while one looks elsewhere. */
export function useSelection() {
  const { selection } = useSession()
  const chosen = useStore(selection)
  return {
    chosen,
    clear: () => selection.set(new Map()),
    /** Takes items out that are not there any more. */
    forget: (ids: readonly string[]): void => {
      if (ids.some((id) => selection.get().has(id)))
        selection.set(new Map([...selection.get()].filter(([id]) => !ids.includes(id))))
    },
    toggle: (id: string, name: string): void => {
      const next = new Map(chosen)
      if (!next.delete(id) && next.size < MOST_SELECTED) next.set(id, name)
      selection.set(next)
    },
  }
}

/** What items are dragged as. */
const DRAGGED = 'application/x-medialog-items'

export const drag = (transfer: DataTransfer, ids: readonly string[]): void => {
  transfer.setData(DRAGGED, JSON.stringify(ids))
  transfer.effectAllowed = 'move'
}

export const isDragged = (transfer: DataTransfer): boolean => transfer.types.includes(DRAGGED)

export const dragged = (transfer: DataTransfer): string[] => JSON.parse(transfer.getData(DRAGGED)) as string[]
