import type { StartOperationRequest } from '@medialog/client'
import { useState, type FormEvent } from 'react'
import { useWrite } from '../data/writes.ts'
import { Scrolling } from '../parts/scrolling.tsx'
import { usd } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'
import { lastOf, useOperations } from './reads.ts'

interface Amounts {
  charged: number
  repriced: number
  difference: number
}

type Result = Amounts & { operations: { [price: string]: Amounts } }

/** What an account's whole history would have cost at other prices: the service counts every charge again. */
export function Reprice({ accountId, prices: names }: { accountId: string; prices: readonly string[] }) {
  const [prices, setPrices] = useState<{ [name: string]: string }>({})
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
  function submit(event: FormEvent): void {
    event.preventDefault()
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
      <form onSubmit={submit}>
        <Scrolling label={t.billing.whatIf}>
          <table className="plain-table">
            <thead>
              <tr>
                <th scope="col">{t.billing.operation}</th>
                <th scope="col">{t.billing.priceThen}</th>
                <th scope="col" className="number">
                  {t.billing.cost}
                </th>
                <th scope="col" className="number">
                  {t.billing.wouldCost}
                </th>
              </tr>
            </thead>
            <tbody>
              {names.map((name) => (
                <tr key={name}>
                  <th scope="row">{t.billing.price(name)}</th>
                  <td>
                    <input
                      type="number"
                      min={0}
                      step="any"
                      aria-label={t.billing.priceOf(t.billing.price(name))}
                      placeholder={t.accounts.asItWas}
                      value={prices[name] ?? ''}
                      onChange={({ target }) => setPrices({ ...prices, [name]: target.value })}
                    />
                  </td>
                  <Costs amounts={result?.operations[name]} />
                </tr>
              ))}
            </tbody>
            <tfoot>
              <tr>
                <th scope="row">{t.billing.total}</th>
                <td />
                <Costs amounts={result} />
              </tr>
            </tfoot>
          </table>
        </Scrolling>
        <button
          type="submit"
          className="button"
          disabled={given.length === 0 || start.isPending || last?.status === 'running'}
        >
          {t.accounts.reprice}
        </button>
        {last?.status === 'running' && (
          <progress value={last.progress.ratio} max={1} aria-label={t.operations.progress} />
        )}
        <p className="problem" role="alert">
          {start.error?.message ?? last?.error}
        </p>
      </form>
    </section>
  )
}

const Costs = ({ amounts }: { amounts: Amounts | null | undefined }) => (
  <>
    <td className="number">{amounts && usd(amounts.charged)}</td>
    <td className="number">{amounts && usd(amounts.repriced)}</td>
  </>
)
