import { createContext, use } from 'react'
import { Store, useStore } from '../data/store.ts'

/** Items that were chosen, to do something with all of them: by id. */
export type Selection = Store<ReadonlySet<string>>

/** The API deletes so many at once. */
export const MOST_SELECTED = 100

const NOTHING: ReadonlySet<string> = new Set()

export const createSelection = (): Selection => new Store(NOTHING)

export const SelectionContext = createContext<Selection>(createSelection())

export function useSelection() {
  const selection = use(SelectionContext)
  const chosen = useStore(selection)
  return {
    chosen,
    clear: () => selection.set(NOTHING),
    toggle: (id: string): void => {
      const next = new Set(chosen)
      if (!next.delete(id) && next.size < MOST_SELECTED) next.add(id)
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
