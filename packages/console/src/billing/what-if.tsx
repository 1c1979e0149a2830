import type { ReadUsageData } from '@medialog/client'
import { useState } from 'react'
import { fromNano, nano, sumOf } from '../parts/money.ts'
import { Scrolling } from '../parts/scrolling.tsx'
import { usd } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'

/** What the same use would have cost at other prices. */
export function WhatIf({ usage: { billing_summary } }: { usage: ReadUsageData }) {
  const { usage_costs: costs, pricing } = billing_summary
  const [prices, setPrices] = useState<{ [key: string]: string }>({})
  const rows = Object.entries(costs).filter(([key]) => (pricing[key] ?? 0) > 0)
  if (rows.length === 0) return null
  const priceOf = (key: string): number => {
    const given = Number(prices[key] ?? '')
    return prices[key] === undefined || prices[key] === '' || !(given >= 0) ? pricing[key]! : given
  }
  // Each price is charged so many times: what was paid for it goes up and down with it.
  const wouldBe = rows.map(([key, cost]) =>
    fromNano(Math.round((nano(cost) * nano(priceOf(key))) / nano(pricing[key]!))),
  )
  return (
    <section className="what-if">
      <h2>{t.billing.whatIf}</h2>
      <p className="soft">{t.billing.whatIfText}</p>
      <Scrolling label={t.billing.whatIf}>
        <table className="plain-table">
          <thead>
            <tr>
              <th scope="col">{t.billing.operation}</th>
              <th scope="col" className="number">
                {t.billing.priceNow}
              </th>
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
            {rows.map(([key, cost], place) => (
              <tr key={key}>
                <th scope="row">{t.billing.price(key)}</th>
                <td className="number">{usd(pricing[key]!)}</td>
                <td>
                  <input
                    type="number"
                    min={0}
                    step="any"
                    aria-label={t.billing.priceOf(t.billing.price(key))}
                    value={prices[key] ?? String(pricing[key]!)}
                    onChange={({ target }) => setPrices({ ...prices, [key]: target.value })}
                  />
                </td>
                <td className="number">{usd(cost)}</td>
                <td className="number">{usd(wouldBe[place]!)}</td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">{t.billing.total}</th>
              <td colSpan={2} />
              <td className="number">{usd(sumOf(rows.map(([, cost]) => cost)))}</td>
              <td className="number">
                <strong>{usd(sumOf(wouldBe))}</strong>
              </td>
            </tr>
          </tfoot>
        </table>
      </Scrolling>
    </section>
  )
}
