import { auditOperations } from '../audit/operations.ts'
import type { Ports } from '../core/ports.ts'
import { embeddingOperations, type MigrationPorts } from '../embedding/migrate.ts'
import { erasureOperations, type ErasureAuditPorts } from '../erasure/audit.ts'
import { logTreeOperations, type TreeVerificationPorts } from '../log-tree/operations.ts'
import type { OperationUseCases } from './operation.ts'
import { createOperations, logOperations, projectionOperations, scavengeOperations } from './operations.ts'
import { shareOperations } from './shared-operations.ts'

type OperationPorts = MigrationPorts &
  ErasureAuditPorts &
  TreeVerificationPorts &
  Parameters<typeof auditOperations>[0] &
  Pick<Ports, 'projections' | 'logVerifier' | 'logScavenger' | 'clock' | 'coordination'>

export function operations(ports: OperationPorts): OperationUseCases {
  const { projections, logVerifier, logScavenger, clock, coordination } = ports
  return createOperations(
    {
      ...projectionOperations(projections),
      ...logOperations(logVerifier),
      ...scavengeOperations(logScavenger),
      ...embeddingOperations(ports),
      ...auditOperations(ports),
      ...logTreeOperations(ports),
      ...erasureOperations(ports),
    },
    clock,
    coordination && shareOperations(coordination, { clock }),
  )
}
