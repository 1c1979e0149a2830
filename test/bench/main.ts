import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import type { BenchRow, BenchRows } from './row.ts'
import { SCALE } from './scale.ts'

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
  console: async () => (await import('./console.ts')).benchConsole,
  'audit-verify': async () => (await import('./audit-verify.ts')).benchAuditVerify,
}

/** Where results are kept, one file a run. */
const RESULTS = new URL('../../bench-results', import.meta.url).pathname

/** Figures first, in columns: how long the names will be is not known yet. */
function print({ name, baseline, measured, ratio, unit }: BenchRow): void {
  const figure = (value: number) =>
    (Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3)).padStart(7)
  console.log(
    `  ${figure(measured)} ${unit.padEnd(10)} against ${figure(baseline)}   ratio ${ratio.toFixed(3).padEnd(7)} ${name}`,
  )
}

function save(results: Record<string, BenchRow[]>): string {
  const { version, platform, arch } = process
  const at = new Date().toISOString()
  const machine = {
    cpu: cpus()[0]?.model,
    cores: cpus().length,
    memoryBytes: totalmem(),
    node: version,
    platform,
    arch,
  }
  mkdirSync(RESULTS, { recursive: true })
  const path = join(RESULTS, `${at.replaceAll(/[:.]/g, '-')}.json`)
  writeFileSync(path, `${JSON.stringify({ at, machine, results }, null, 2)}\n`)
  return path
}

async function main(names: readonly string[]): Promise<void> {
  const unknown = names.filter((name) => !Object.hasOwn(BENCHES, name))
  if (unknown.length > 0) {
    console.error(
      `No benchmark is named ${unknown.join(', ')}. There are: ${Object.keys(BENCHES).join(', ')}.`,
    )
    process.exitCode = 2
    return
  }
  const results: Record<string, BenchRow[]> = {}
  for (const name of names.length > 0 ? names : Object.keys(BENCHES)) {
    console.log(`\n${name}`)
    const bench = await BENCHES[name]!()
    results[name] = []
    for await (const row of bench()) {
      print(row)
      results[name].push(row)
    }
  }
  if (SCALE === 1) console.log(`\nSaved to ${save(results)}`)
  else console.log(`\nAt a scale of ${SCALE} these are no figures: nothing is saved.`)
}

await main(process.argv.slice(2))
