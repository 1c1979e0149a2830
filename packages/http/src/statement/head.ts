import type { Statement } from '@medialog/application'

/** Of the ledger's last event that the statement covers: what proves all of it. */
export interface LedgerHead {
  stream: string
  revision: number
  hash: string
  /** A signed note; null where no checkpoint covers the event yet. */
  checkpoint: string | null
}

export function headOf({ accountId, checkpoint, report: { revision, hash } }: Statement): LedgerHead | null {
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
