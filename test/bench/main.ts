import { parseArgs } from 'node:util'
import { isWorse, type BenchRow, type BenchRows } from './row.ts'
import { SCALE } from './scale.ts'
import { figure, keepTable } from './tables.ts'
import { commitOf } from './tree-of.ts'

/** Every benchmark by name: a pair measured in one run. One line here and a file make another. */
const BENCHES: Record<string, () => Promise<() => BenchRows>> = {
  append: async () => (await import('./append.ts')).benchAppend,
  understanding: async () => (await import('./understanding.ts')).benchUnderstanding,
  embedding: async () => (await import('./embedding.ts')).embedding,
  retrieval: async () => (await import('./retrieval.ts')).retrieval,
  search: async () => (await import('./search.ts')).search,
  connections: async () => (await import('./connections.ts')).benchConnections,
  rebuild: async () => (await import('./rebuild.ts')).benchRebuild,
  http: async () => (await import('./http.ts')).benchHttp,
  'search-http': async () => (await import('./search-http.ts')).benchSearchHttp,
  upload: async () => (await import('./upload.ts')).benchUpload,
  engines: async () => (await import('./engines.ts')).benchEngines,
  replay: async () => (await import('./replay.ts')).benchReplay,
  start: async () => (await import('./start.ts')).benchStart,
  feed: async () => (await import('./feed.ts')).benchFeed,
  neighbours: async () => (await import('./neighbours.ts')).benchNeighbours,
  'own-batch': async () => (await import('./neighbours.ts')).benchOwnBatch,
  speech: async () => (await import('./neighbours.ts')).benchSpeech,
  soak: async () => (await import('./soak.ts')).benchSoak,
  console: async () => (await import('./console.ts')).benchConsole,
  sizing: async () => (await import('./sizing.ts')).benchSizing,
  'audit-verify': async () => (await import('./audit-verify.ts')).benchAuditVerify,
}

/** Figures first, in columns: how long the names will be is not known yet. */
function print({ name, baseline, measured, ratio, unit }: BenchRow): void {
  const [own, other] = [measured, baseline].map((value) => figure(value).padStart(7))
  console.log(`  ${own} ${unit.padEnd(10)} against ${other}   ratio ${ratio.toFixed(3).padEnd(7)} ${name}`)
}

interface Asked {
  /** The commit to measure beside. */
  beside: string | undefined
  names: string[]
}

/** Fails where a figure is much worse than that of the commit beside. */
async function main({ beside, names }: Asked): Promise<void> {
  if (beside !== undefined) {
    const { benchBeside } = await import('./beside.ts')
    const rows = await run('beside', () => benchBeside(beside), commitOf(beside).slice(0, 8))
    for (const { name } of rows.filter(isWorse)) {
      console.error(`Worse than ${beside} by more than 15 %: ${name}.`)
      process.exitCode = 1
    }
  }
  for (const name of names) await run(name, await BENCHES[name]!())
  if (SCALE < 1) console.log(`\nAt a scale of ${SCALE} these are no figures: nothing is kept.`)
}

/** @throws Error of what is not known */
function asked(): Asked {
  const { values, positionals } = parseArgs({
    options: { beside: { type: 'string' } },
    allowPositionals: true,
  })
  const unknown = positionals.filter((name) => !Object.hasOwn(BENCHES, name))
  if (unknown.length > 0)
    throw new Error(
      `No benchmark is named ${unknown.join(', ')}. There are: ${Object.keys(BENCHES).join(', ')}.`,
    )
  if (values.beside !== undefined) commitOf(values.beside)
  const isAll = positionals.length === 0 && values.beside === undefined
  // An hour of its own.
  const all = Object.keys(BENCHES).filter((name) => name !== 'soak')
  return { beside: values.beside, names: isAll ? all : positionals }
}

/** Prints each row as soon as it was measured, and keeps the table. `beside`: the commit that it was measured beside. */
async function run(name: string, bench: () => BenchRows, beside?: string): Promise<BenchRow[]> {
  console.log(`\n${name}`)
  const rows: BenchRow[] = []
  for await (const row of bench()) {
    print(row)
    rows.push(row)
  }
  if (SCALE === 1) keepTable(name, rows, beside)
  return rows
}

let wanted: Asked | undefined
try {
  wanted = asked()
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 2
}
if (wanted) await main(wanted)
