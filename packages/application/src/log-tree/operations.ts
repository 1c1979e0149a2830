import type { Json } from '@medialog/kernel'
import type { Ports } from '../core/ports.ts'
import type { OperationKinds } from '../operations/operations.ts'
import { verifyLog, type AuditReport } from './verify.ts'

export type TreeVerificationPorts = Pick<Ports, 'eventStore' | 'logVerifier' | 'logTree' | 'clock'>

/** `audit-verify`: succeeds with its findings, if any. @throws InvalidNote */
export function logTreeOperations({
  eventStore,
  logVerifier,
  logTree,
  clock,
}: TreeVerificationPorts): Pick<OperationKinds, 'audit-verify'> {
  return {
    'audit-verify': async ({ checkpoint = null }, report) =>
      foundOf(
        await verifyLog(
          { eventStore, logVerifier, leaves: logTree.leaves, keys: () => logTree.keys(), clock },
          checkpoint,
          ({ events, size }) =>
            report(size === 0 ? 1 : Math.min(events / size, 1), `comparing: ${events} of ${size}`),
        ),
      ),
  }
}

const foundOf = ({
  events,
  erased,
  outside,
  findings,
  seconds,
  ...report
}: AuditReport): { [key: string]: Json } => ({
  intact: report.found === 0,
  events,
  erased,
  not_in_the_tree_yet: outside,
  tree_size: report.size,
  root: report.root,
  checkpoints: report.checkpoints,
  found: report.found,
  findings: findings.map((finding) => ({ ...finding })),
  events_per_second: Math.round((events + erased + outside) / Math.max(seconds, 0.001)),
  seconds,
})
