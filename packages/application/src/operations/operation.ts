import type { PriceKey } from '@medialog/domain'
import type { Json } from '@medialog/kernel'
import type { ReadModelName } from '../ports/index.ts'

/** Long work by kind, with its parameters. */
export type OperationRequest =
  | { kind: 'projections-rebuild'; name: ReadModelName }
  /** All of them, unless one is named. */
  | { kind: 'projections-verify'; name?: ReadModelName }
  | { kind: 'log-verify' }
  | { kind: 'log-scavenge' }
  | { kind: 'log-scavenge-stop' }
  /** `checkpoint`: a signed note that was exported. */
  | { kind: 'audit-verify'; checkpoint?: string }
  /** `receipt`: the signed note, of an erasure that the log may not know. */
  | { kind: 'audit-erasure'; erasure_id: string; receipt?: string }
  | { kind: 'embeddings-migrate' }
  /** Prices in USD, those that are not named stay; charges made in `[from, to)`, ISO times; of all accounts or one. */
  | {
      kind: 'audit-reprice'
      prices: { [key in PriceKey]?: number }
      from?: string
      to?: string
      account_id?: string
    }

export interface Operation {
  operationId: string
  kind: string
  parameters: { [parameter: string]: Json }
  status: 'running' | 'succeeded' | 'failed'
  /** From 0 to 1, and a sentence for people. */
  progress: { ratio: number; message: string }
  result: { [key: string]: Json } | null
  error: string | null
  startedAt: number
  endedAt: number | null
}

export interface OperationUseCases {
  /** Starts long work; answers at once. @throws OperationRunning when the same runs already */
  start(request: OperationRequest): Promise<Operation>
  find(id: string): Promise<Operation | null>
  list(): Promise<Operation[]>
  /** Every change of one operation, the current state first; ends when it has ended. */
  watch(id: string, signal: AbortSignal): AsyncIterable<Operation>
  /** By the kind of what proves the log: whether the last one that ended in this process failed or found something. */
  verifications(): ReadonlyMap<string, boolean>
}
