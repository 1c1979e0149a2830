import { useEffect, useRef, useState } from 'react'
import Plot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useStore } from '../data/store.ts'
import { scheme } from '../session/theme.ts'
import { t } from '../texts/texts.ts'
import { Scrolling } from './scrolling.tsx'
import { TableHead } from './table-head.tsx'

export interface Series {
  name: string
  /** The name of a custom property that has its colour. */
  color: string
  values: readonly (number | null)[]
  /** What the table says, where that is not what is drawn: parts of a bar are drawn from the ground up. */
  amounts?: readonly number[]
}

interface Props {
  /** Milliseconds since 1970. */
  times: readonly number[]
  series: readonly Series[]
  format: (value: number) => string
  /** What the plot shows. */
  label: string
  /** Of a time, in the table: a day, or the time of it. */
  timeOf: (iso: string) => string
  /** `steps`: a value holds until the next one. `bars`: of a span of time. */
  kind: 'steps' | 'bars' | 'lines'
}

const HEIGHT = 220
const FONT = '12px system-ui'

/** Values over time: drawn, summed up in a sentence, and as a table. */
export function Chart({ times, series, format, label, timeOf, kind }: Props) {
  const place = useRef<HTMLDivElement>(null)
  const shades = useStore(scheme)
  useEffect(() => {
    const element = place.current!
    const style = getComputedStyle(element)
    // A canvas takes no custom property, and no light-dark().
    const colorOf = (name: string): string => {
      element.style.color = `var(${name})`
      const color = style.color
      element.style.color = ''
      return color
    }
    const [soft, line] = [colorOf('--soft'), colorOf('--line')]
    const axis: Plot.Axis = {
      stroke: soft,
      font: FONT,
      grid: { stroke: line, width: 1 },
      ticks: { show: false },
    }
    const paths =
      kind === 'steps'
        ? Plot.paths.stepped!({ align: 1 })
        : kind === 'bars'
          ? Plot.paths.bars!({ size: [0.7, 40] })
          : Plot.paths.linear!()
    const plot = new Plot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        cursor: { y: false },
        legend: { show: kind === 'lines' && series.length > 1 },
        scales: { y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.1 : 1] } },
        axes: [axis, { ...axis, size: 70, values: (_plot, values) => values.map(format) }],
        series: [
          {},
          ...series.map(({ name, color }): Plot.Series => {
            const stroke = colorOf(color)
            return {
              label: name,
              stroke,
              width: 2,
              fill: kind === 'bars' ? stroke : kind === 'steps' ? alpha(stroke) : undefined,
              paths,
              points: { show: false },
              value: (_plot, value) => (value === null ? '' : format(value)),
            }
          }),
        ],
      },
      [times.map((time) => time / 1000), ...series.map(({ values }) => [...values])],
      element,
    )
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [times, series, format, kind, shades])
  return (
    <figure className="figure">
      <div ref={place} className="chart" role="img" aria-label={summaryOf(label, series, format)} />
      <Values times={times} series={series} format={format} label={label} timeOf={timeOf} />
    </figure>
  )
}

/** What the table says. */
const amountsOf = ({ values, amounts }: Series): readonly (number | null)[] => amounts ?? values

/** `Memory: from 120 MB to 140 MB, at least 118 MB, at most 152 MB.` */
const summaryOf = (label: string, series: readonly Series[], format: Props['format']): string =>
  [
    label,
    ...series.map((each) => {
      const values = amountsOf(each).filter((value) => value !== null)
      if (values.length === 0) return t.chart.none(each.name)
      return t.chart.range(
        each.name,
        ...([values[0]!, values.at(-1)!, Math.min(...values), Math.max(...values)].map(format) as [
          string,
          string,
          string,
          string,
        ]),
      )
    }),
  ].join('. ')

/** Every value, once one asks for them. */
function Values({ times, series, format, label, timeOf }: Omit<Props, 'kind'>) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="small" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="soft">{t.chart.values}</summary>
      {isOpen && (
        <Scrolling label={label}>
          <table className="plain-table">
            <TableHead
              caption={label}
              columns={[t.chart.time, ...series.map(({ name }) => ({ number: name }))]}
            />
            <tbody>
              {times.map((time, place) => (
                <tr key={time}>
                  <th scope="row">{timeOf(new Date(time).toISOString())}</th>
                  {series.map((each) => {
                    const amount = amountsOf(each)[place]
                    return (
                      <td key={each.name} className="number">
                        {typeof amount === 'number' && format(amount)}
                      </td>
                    )
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </Scrolling>
      )}
    </details>
  )
}

const alpha = (color: string): string => color.replace(/^rgb\((.*)\)$/, 'rgba($1, 0.16)')
