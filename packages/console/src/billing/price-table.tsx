import { Scrolling } from '../parts/scrolling.tsx'
import { TableHead } from '../parts/table-head.tsx'
import { usd } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'

/** Other prices as they were typed, in USD by price key. */
export type OtherPrices = Readonly<Record<string, string>>

interface Costs {
  /** USD; absent while they are not known. */
  cost?: number | undefined
  wouldCost?: number | undefined
}

interface Props {
  rows: readonly (Costs & {
    name: string
    /** USD: the price as it is, where it is known. */
    price?: number
  })[]
  total: Costs
  prices: OtherPrices
  change: (prices: OtherPrices) => void
}

/** A field for another price of each operation, beside what was paid and what it would have been. */
export function PriceTable({ rows, total, prices, change }: Props) {
  const hasPrices = rows.some(({ price }) => price !== undefined)
  return (
    <Scrolling label={t.billing.whatIf}>
      <table className="plain-table">
        <TableHead
          caption={t.billing.whatIf}
          columns={[
            t.billing.operation,
            ...(hasPrices ? [{ number: t.billing.priceNow }] : []),
            t.billing.priceThen,
            { number: t.billing.cost },
            { number: t.billing.wouldCost },
          ]}
        />
        <tbody>
          {rows.map(({ name, price, cost, wouldCost }) => (
            <tr key={name}>
              <th scope="row">{t.billing.price(name)}</th>
              {price !== undefined && <td className="number">{usd(price)}</td>}
              <td>
                <input
                  type="number"
                  min={0}
                  step="any"
                  aria-label={t.billing.priceOf(t.billing.price(name))}
                  placeholder={t.billing.asItWas}
                  value={prices[name] ?? price ?? ''}
                  onChange={({ target }) => change({ ...prices, [name]: target.value })}
                />
              </td>
              <td className="number">{cost !== undefined && usd(cost)}</td>
              <td className="number">{wouldCost !== undefined && usd(wouldCost)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{t.billing.total}</th>
            <td colSpan={hasPrices ? 2 : 1} />
            <td className="number">{total.cost !== undefined && usd(total.cost)}</td>
            <td className="number">
              <strong>{total.wouldCost !== undefined && usd(total.wouldCost)}</strong>
            </td>
          </tr>
        </tfoot>
      </table>
    </Scrolling>
  )
}
