import type { LogCheckpoint } from '@medialog/domain'
import type { OperatorContext, RequestContext } from '../core/context.ts'
import { operatorOrigin } from '../core/origin.ts'
import type { Ports } from '../core/ports.ts'
import { SYSTEM } from '../event-sourcing/executing.ts'
import type { PublicKeys } from '../log-tree/handover.ts'
import { proveConsistency, proveEvents, type EventProofs } from '../log-tree/proofs.ts'
import { ledgerQueries, type AuditPorts, type LedgerQueries } from './queries.ts'

/** What proves the log and an account's bill. */
export interface AuditUseCases extends LedgerQueries {
  /** Proofs of the account's own events, see proveEvents; null without any. */
  proveOwnEvents(context: RequestContext, subject: string): Promise<EventProofs | null>
  /** Proofs of one event or of an item's, see proveEvents; null without any. */
  proveEvents(context: OperatorContext, subject: string): Promise<EventProofs | null>
  /** Between two sizes of the log, see proveConsistency. @throws InvalidInput */
  proveConsistency(from: number, to: number): Promise<string[]>
  /** Signs what the log holds now. */
  checkpoint(context: OperatorContext): Promise<LogCheckpoint>
  checkpointKeys(): Promise<PublicKeys>
}

export function audit(ports: AuditPorts & Pick<Ports, 'eventStore' | 'logTree'>): AuditUseCases {
  const { logTree } = ports
  return {
    ...ledgerQueries(ports),
    proveOwnEvents: ({ principal }, subject) => proveEvents(ports, SYSTEM, subject, principal.accountId),
    proveEvents: (context, subject) => proveEvents(ports, operatorOrigin(context), subject),
    proveConsistency: (from, to) => proveConsistency(logTree.leaves, from, to),
    checkpoint: (context) => logTree.checkpoint(operatorOrigin(context)),
    checkpointKeys: () => logTree.keys(),
  }
}
