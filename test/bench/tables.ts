import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import type { BenchRow } from './row.ts'
import { checkedOut } from './tree-of.ts'

/** Keeps the last table of each benchmark. */
const FILE = new URL('../../docs/benchmarks.md', import.meta.url)

const GIB = 2 ** 30

export const figure = (value: number): string =>
  Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3)

/** Puts the table in the place of the benchmark's last one. `beside`: the commit that was measured too. */
export function keepTable(name: string, rows: readonly BenchRow[], beside?: string): void {
  const [intro, ...sections] = readFileSync(FILE, 'utf8').split(/^(?=## )/m)
  const others = sections.filter((section) => !section.startsWith(`## ${name}\n`))
  const all = [...others, `## ${name}\n\n${tableOf(rows, beside)}\n`].sort()
  writeFileSync(FILE, `${[intro, ...all].map((part) => part!.trimEnd()).join('\n\n')}\n`)
}

/** The commit that the last table of `--beside` measured. @throws Error where no such table was kept */
export function commitKept(): string {
  const found = /^## beside\n\n\S+, commit (\w+)/m.exec(readFileSync(FILE, 'utf8'))
  if (!found) throw new Error('docs/benchmarks.md has no table named beside.')
  return found[1]!
}

function tableOf(rows: readonly BenchRow[], beside: string | undefined): string {
  const [{ model } = { model: 'unknown' }] = cpus()
  const machine = `${model}, ${cpus().length} cores, ${Math.round(totalmem() / GIB)} GiB, Node ${process.version}`
  const date = new Date().toISOString().slice(0, 10)
  return [
    `${date}, commit ${checkedOut()}${beside === undefined ? '' : ` beside ${beside}`}; ${machine}.`,
    '',
    `| | measured | ${beside ?? 'against'} | ratio | quartiles of it |`,
    '|---|---|---|---|---|',
    ...rows.map(({ name, measured, baseline, ratio, unit, spread }) => {
      const quartiles = spread ? spread.map((value) => value.toFixed(2)).join(' to ') : ''
      return `| ${name} | ${figure(measured)} ${unit} | ${figure(baseline)} | ${ratio.toFixed(2)} | ${quartiles} |`
    }),
  ].join('\n')
}
