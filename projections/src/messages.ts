import type { Damage, ReadModelName, StoreName, RebuildProgress } from '@medialog/application/ports'
import type { LogPosition } from '@medialog/kernel'

/** What the main side asks of the thread that runs the projections; `id` comes back with the answer. */
export interface Call {
  id: number
  method: 'status' | 'rebuild' | 'verify' | 'flushErased' | 'damaged' | 'close'
  readModel?: ReadModelName
  store?: StoreName
  damage?: Damage
}

/** What the thread says, asked or not. */
export type Said =
  | { type: 'reached'; store: StoreName; position: LogPosition }
  | { type: 'progress'; id: number; progress: RebuildProgress }
  | { type: 'answer'; id: number; value: unknown }
  /** As text: what else an error holds does not cross threads, and some lose their message. */
  | { type: 'failure'; id: number; message: string }
