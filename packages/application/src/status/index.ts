import type { LogPosition } from '@medialog/kernel'
import { requireShown, type ShownPorts } from '../core/read-your-writes.ts'
import { embeddingStatus, type EmbeddingStatus } from '../embedding/status.ts'
import { createHealth, type Health, type HealthPorts } from './health.ts'

export interface StatusUseCases {
  /** How the parts are, for `/v1/status`, `/readyz` and metrics. */
  health(): Promise<Health>
  /** What is stored of which embedder. */
  embeddings(): Promise<EmbeddingStatus>
  /** The log as far as every read shows it, for X-Position of reads. */
  position(): LogPosition
  /**
   * Waits (bounded) until reads show everything up to `position`; false where that takes too long.
   * @throws PositionLost for a position beyond the end of the log
   */
  reached(position: LogPosition): Promise<boolean>
}

export const status = (ports: HealthPorts & ShownPorts): StatusUseCases => ({
  health: createHealth(ports),
  embeddings: () => embeddingStatus(ports),
  position: () => ports.projections.position(),
  reached: (position) => requireShown(ports, position),
})
