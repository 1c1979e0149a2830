import { useEffect, useRef } from 'react'
import Plot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useStore } from '../data/store.ts'
import { scheme } from '../session/theme.ts'

export interface Series {
  name: string
  /** The name of a custom property that has its colour. */
  color: string
  values: readonly (number | null)[]
}

interface Props {
  /** Milliseconds since 1970. */
  times: readonly number[]
  series: readonly Series[]
  format: (value: number) => string
  /** What the plot shows, for those who do not see it. */
  label: string
  /** `steps`: a value holds until the next one. `bars`: of a span of time. */
  kind: 'steps' | 'bars' | 'lines'
}

const HEIGHT = 220
const FONT = '12px system-ui'

/** Values over time. Text or a table beside a chart gives the same values. */
export default function Chart({ times, series, format, label, kind }: Props) {
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
  return <div ref={place} className="chart" role="img" aria-label={label} />
}

const alpha = (color: string): string => color.replace(/^rgb\((.*)\)$/, 'rgba($1, 0.16)')
