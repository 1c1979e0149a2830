import type { ReadUsageData, ReadUsageInput } from '@medialog/client'
import { useMemo, useState } from 'react'
import { useRead } from '../data/reads.ts'
import { Figure } from '../parts/figure.tsx'
import { Chart, type Series } from '../parts/chart.tsx'
import { CopyAs } from '../parts/copy-as.tsx'
import { fromNano, nano, sumOf } from '../parts/money.ts'
import { useParameters } from '../parts/parameters.ts'
import { Segments } from '../parts/segments.tsx'
import { useSettled } from '../parts/settled.ts'
import { Shown } from '../parts/states.tsx'
import { useTitle } from '../parts/title.ts'
import { dateTime, day, usd } from '../parts/values.tsx'
import { Caption } from '../parts/caption.tsx'
import { t } from '../texts/texts.ts'
import { balancesOf } from './balances.ts'
import { WhatIf } from './what-if.tsx'

const DAY_MS = 86_400_000
const SPANS = [7, 30, 90] as const
const COLORS = ['--document', '--image', '--video', '--audio', '--model']

/** The balance and the costs of a span of days, and how all of it was at any moment before. */
export function Overview() {
  useTitle(t.billing.title)
  const [parameters, change] = useParameters()
  const days = SPANS.find((span) => String(span) === parameters.get('days')) ?? 7
  // Of this visit: it moves with the span alone.
  const now = useMemo(() => Date.now(), [days])
  const start = new Date(now - days * DAY_MS).toISOString()
  const input: ReadUsageInput = {
    start_time: start,
    detailed: true,
    group_by: days > 7 ? 'day' : 'hour',
  }
  const usage = useRead('readUsage', input, { keepsPrevious: true })
  return (
    <>
      <div className="toolbar">
        <Segments
          legend={t.billing.span}
          options={SPANS.map((value) => ({ value, label: t.billing.days(value) }))}
          chosen={days}
          choose={(span) => change({ days: span === 7 ? null : String(span) })}
        />
        <CopyAs id="readUsage" input={input} />
      </div>
      <Shown read={usage} lines={8}>
        {(used) => (
          <>
            <div className="two-plots">
              <section>
                <h2>{t.billing.balance}</h2>
                <p className="big-number">{usd(used.account_info.balance)}</p>
                <BalanceChart usage={used} start={Date.parse(start)} now={now} />
              </section>
              <section>
                <h2>{t.billing.costsByDay}</h2>
                <CostsByDay
                  trends={used.detailed_metrics!.usage_trends}
                  start={now - days * DAY_MS}
                  days={days}
                />
              </section>
            </div>
            <AsOf />
            <WhatIf usage={used} />
          </>
        )}
      </Shown>
    </>
  )
}

function BalanceChart({ usage, start, now }: { usage: ReadUsageData; start: number; now: number }) {
  const { balance } = usage.account_info
  const { times, series, first } = useMemo(() => {
    const points = balancesOf(usage, start)
    if (points.length === 0 || points.at(-1)!.at < now) points.push({ at: now, value: balance })
    const values = points.map(({ value }) => value)
    const balances: Series[] = [{ name: t.billing.balance, color: '--accent', values }]
    return { times: points.map(({ at }) => at), series: balances, first: values[0]! }
  }, [usage, start, now])
  return (
    <Chart
      times={times}
      series={series}
      format={usd}
      kind="steps"
      label={t.billing.balancePlot(usd(first), usd(balance))}
      timeOf={dateTime}
    />
  )
}

type Trends = NonNullable<ReadUsageData['detailed_metrics']>['usage_trends']

/** Of buckets that are days or the hours of days, each named by its date first. */
const sumOfDay = (buckets: Trends[string], date: string): number =>
  sumOf(Object.entries(buckets).flatMap(([bucket, cost]) => (bucket.startsWith(date) ? [cost] : [])))

/** Bars on top of each other: each is drawn from the ground up to its top, the highest first. */
function CostsByDay({ trends, start, days }: { trends: Trends; start: number; days: number }) {
  const { times, costs } = useMemo(() => {
    const dates = Array.from({ length: days + 1 }, (_, day) =>
      new Date(start + day * DAY_MS).toISOString().slice(0, 10),
    )
    const sums = Object.entries(trends)
      .map(([key, buckets]) => ({
        key,
        values: dates.map((date) => nano(sumOfDay(buckets, date))),
        total: sumOf(Object.values(buckets)),
      }))
      .toSorted((a, b) => b.total - a.total)
    const tops = dates.map(() => 0)
    const stacked = sums.map(({ key, values, total }, place) => ({
      key,
      total,
      color: COLORS[place % COLORS.length]!,
      name: t.billing.price(key),
      values: values.map((value, day) => fromNano((tops[day]! += value)) || null),
      amounts: values.map(fromNano),
    }))
    return { times: dates.map((date) => Date.parse(date)), costs: stacked }
  }, [trends, start, days])
  const series = useMemo((): Series[] => costs.toReversed(), [costs])
  if (costs.length === 0) return <p className="soft">{t.billing.noCosts}</p>
  return (
    <>
      <Chart
        times={times}
        series={series}
        format={usd}
        kind="bars"
        label={t.billing.costsByDay}
        timeOf={day}
      />
      <table className="plain-table">
        <Caption>{t.billing.costsByDay}</Caption>
        <tbody>
          {costs.map(({ key, name, color, total }) => (
            <tr key={key}>
              <th scope="row">
                <span className="dot" style={{ background: `var(${color})` }} /> {name}
              </th>
              <td className="number">{usd(total)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

/** A slider through the account's past. */
function AsOf() {
  const first = useRead('readLedger', { page_size: 1 })
  const opened = first.data?.postings[0]?.at
  const [share, setShare] = useState(1)
  const now = useMemo(() => Date.now(), [])
  const begin = opened === undefined ? now : Date.parse(opened)
  const at = new Date(begin + (now - begin) * share).toISOString()
  const asked = useSettled(share === 1 ? null : at, 150)
  const then = useRead('readUsage', asked === null ? {} : { as_of: asked }, { keepsPrevious: true })
  if (opened === undefined) return null
  return (
    <section className="as-of">
      <h2>{t.billing.asOf}</h2>
      <label className="wide-slider">
        <span className="visually-hidden">{t.billing.asOf}</span>
        <input
          type="range"
          min={0}
          max={1}
          step={0.001}
          value={share}
          aria-label={t.billing.asOf}
          aria-valuetext={dateTime(at)}
          onChange={({ target }) => setShare(Number(target.value))}
        />
      </label>
      <p className="soft" role="status">
        {share === 1 ? t.billing.now : dateTime(at)}
      </p>
      <Shown read={then} lines={2}>
        {({ account_info, billing_summary }) => (
          <dl className="figures">
            <Figure name={t.billing.balance}>{usd(account_info.balance)}</Figure>
            {Object.entries(billing_summary.usage_costs).map(([key, cost]) => (
              <Figure key={key} name={t.billing.price(key)}>
                {usd(cost)}
              </Figure>
            ))}
          </dl>
        )}
      </Shown>
    </section>
  )
}
