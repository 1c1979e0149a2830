import type { ReadLedgerInput } from '@medialog/client'
import { useLastPage } from '../data/pages.ts'
import { useRead } from '../data/reads.ts'

/** A page of the ledger; null: the last one, with the latest postings. */
export function useLedgerPage(range: Omit<ReadLedgerInput, 'page'>, chosen: number | null) {
  const first = useRead('readLedger', { ...range, page: 1 }, { enabled: chosen === null })
  const page = chosen ?? first.data?.pagination.total_pages ?? 1
  const input: ReadLedgerInput = { ...range, page: Math.max(1, page) }
  return { input, read: useLastPage(useRead('readLedger', input, { keepsPrevious: true }), page) }
}
