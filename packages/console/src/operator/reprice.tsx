import type { StartOperationRequest } from '@medialog/client'
import { useState, type FormEvent } from 'react'
import { PriceTable, type OtherPrices } from '../billing/price-table.tsx'
import { useWrite } from '../data/writes.ts'
import { t } from '../texts/texts.ts'
import { lastOf, useOperations } from './reads.ts'
import { Problem } from '../parts/problem.tsx'

interface Repriced {
  /** USD. */
  charged: number
  repriced: number
}

type Result = Repriced & { operations: { [price: string]: Repriced } }

/** What an account's whole history would have cost at other prices: the service counts every charge again. */
export function Reprice({ accountId, prices: names }: { accountId: string; prices: readonly string[] }) {
  const [prices, setPrices] = useState<OtherPrices>({})
  const start = useWrite(
    (client, input: StartOperationRequest) => client.startOperation(input),
    ['listOperations'],
  )
  const { data } = useOperations()
  const last = lastOf(data?.operations ?? [], ['audit-reprice']).find(
    ({ parameters }) => parameters['account_id'] === accountId,
  )
  const result = last?.result as Result | null | undefined
  const given = Object.entries(prices).filter(([, price]) => price !== '')
  const isRunning = start.isPending || last?.status === 'running'
  function submit(event: FormEvent): void {
    event.preventDefault()
    if (isRunning) return
    start.mutate({
      kind: 'audit-reprice',
      account_id: accountId,
      prices: Object.fromEntries(given.map(([name, price]) => [name, Number(price)])),
    })
  }
  if (names.length === 0) return null
  return (
    <section className="section">
      <h2>{t.billing.whatIf}</h2>
      <p className="soft">{t.accounts.repriceText}</p>
      <form className="section" onSubmit={submit}>
        <PriceTable
          rows={names.map((name) => ({ name, ...costsOf(result?.operations[name]) }))}
          total={costsOf(result)}
          prices={prices}
          change={setPrices}
        />
        <button type="submit" className="button" disabled={given.length === 0} aria-disabled={isRunning}>
          {t.accounts.reprice}
        </button>
        {last?.status === 'running' && (
          <progress value={last.progress.ratio} max={1} aria-label={t.operations.progress} />
        )}
        <Problem>{start.error?.message ?? last?.error}</Problem>
      </form>
    </section>
  )
}

const costsOf = (of: Repriced | null | undefined) => ({ cost: of?.charged, wouldCost: of?.repriced })
