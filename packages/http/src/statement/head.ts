import type { Statement } from '@medialog/application'
import type { Statement as StatementView } from '@medialog/contract/http'
import type { z } from 'zod'

/** Of the ledger's last event that the statement covers: what proves all of it. */
type LedgerHead = z.input<typeof StatementView>['ledger']

export function headOf({ accountId, checkpoint, report: { revision, hash } }: Statement): LedgerHead {
  return revision === null ? null : { stream: `ledger-${accountId}`, revision, hash: hash!, checkpoint }
}

/** In one line: `ledger-<account>@12 <hash> under 3400 events of medialog/…`. */
export function referenceOf(statement: Statement): string {
  const head = headOf(statement)
  if (!head) return ''
  const [origin, size] = head.checkpoint?.split('\n') ?? []
  const covered = size === undefined ? '' : ` under ${size} events of ${origin}`
  return `${head.stream}@${head.revision} ${head.hash}${covered}`
}
