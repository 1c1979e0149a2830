import type { Engines } from '../engines.ts'

/** What everything is read from, and which erasures were carried out. */
export interface ReadModels extends Pick<
  Engines,
  'catalog' | 'search' | 'tombstones' | 'accounts' | 'usage' | 'work' | 'batches' | 'history' | 'erasures'
> {
  close: () => Promise<void>
}
