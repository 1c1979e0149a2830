import type { ReadUsageData } from '@medialog/client'
import { useState } from 'react'
import { fromNano, nano, sumOf } from '../parts/money.ts'
import { t } from '../texts/texts.ts'
import { PriceTable, type OtherPrices } from './price-table.tsx'

/** What the same use would have cost at other prices. */
export function WhatIf({ usage: { billing_summary } }: { usage: ReadUsageData }) {
  const { usage_costs: costs, pricing } = billing_summary
  const [prices, setPrices] = useState<OtherPrices>({})
  const rows = Object.entries(costs)
    .filter(([name]) => (pricing[name] ?? 0) > 0)
    .map(([name, cost]) => {
      const price = pricing[name]!
      const other = Number(prices[name] || price)
      const given = other >= 0 ? other : price
      // Each price is charged so many times: what was paid for it goes up and down with it.
      const wouldCost = fromNano(Math.round((nano(cost) * nano(given)) / nano(price)))
      return { name, price, cost, wouldCost }
    })
  if (rows.length === 0) return null
  const total = {
    cost: sumOf(rows.map(({ cost }) => cost)),
    wouldCost: sumOf(rows.map(({ wouldCost }) => wouldCost)),
  }
  return (
    <section className="what-if">
      <h2>{t.billing.whatIf}</h2>
      <p className="soft">{t.billing.whatIfText}</p>
      <PriceTable rows={rows} total={total} prices={prices} change={setPrices} />
    </section>
  )
}
