import { gunzipSync } from 'node:zlib'
import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join, relative } from 'node:path'
import { startReading } from '@medialog/understanding/testing/reading'
import { UnsupportedFileType, type Extraction } from '@medialog/application/ports'
import { COMPARISONS } from './compare.ts'
import { debianFiles } from './debian.ts'
import { missingPrograms } from './programs.ts'

/**
 * `npm run test:real [-- KIND …]`: reads files that other people made, and compares what is read with what other programs say. Not among
 * the tests of a change: it needs an archive of Debian's packages, 80 MB of it, and those programs.
 */
const MOST_OF_A_KIND = 40
const folder = process.env['MEDIALOG_REAL_DIR'] ?? join(tmpdir(), 'medialog-real')

const missing = await missingPrograms()
if (missing.length > 0) {
  console.error(`These programs are missing: ${missing.join(', ')}. Install the packages in brackets.`)
  process.exit(1)
}
const progress = (text: string): void => {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`)
}
const all = await debianFiles(folder, (name) => progress(`package ${name}`))
const unpacked = await Promise.all(
  all
    .filter((path) => path.endsWith('.pdf.gz'))
    .map(async (path) => {
      const plain = path.slice(0, -'.gz'.length)
      await writeFile(plain, gunzipSync(await readFile(path)))
      return plain
    }),
)
const kinds = Map.groupBy([...new Set([...all, ...unpacked])].sort(), (path) =>
  extname(path).slice(1).toLowerCase(),
)

/** What is read of a file, or why it is refused. */
const read = async (name: string, path: string): Promise<Extraction | Error> => {
  try {
    return await reading.read(name.replaceAll('/', '_'), await readFile(path))
  } catch (error) {
    if (error instanceof UnsupportedFileType) return error
    throw error
  }
}

const asked = process.argv.slice(2)
let differ = 0
const reading = await startReading()
for (const [kind, compare] of Object.entries(COMPARISONS)) {
  if (asked.length > 0 && !asked.includes(kind)) continue
  const counts = { same: 0, refused: 0, alone: 0 }
  const differences: string[] = []
  for (const path of (kinds.get(kind) ?? []).slice(0, MOST_OF_A_KIND)) {
    const name = relative(join(folder, 'files'), path)
    progress(name)
    const outcome = await read(name, path)
    if (outcome instanceof Error) {
      counts.refused++
      differences.push(`  refused ${name}: ${outcome.message}`)
      continue
    }
    const difference = await compare(path, outcome)
    if (difference === undefined) counts.alone++
    else if (difference === null) counts.same++
    else differences.push(`  differs ${name}: ${difference}`)
  }
  progress('')
  const { same, refused, alone } = counts
  const different = differences.length - refused
  differ += different
  console.log(`${kind}: ${same} the same, ${different} different, ${refused} refused, ${alone} not compared`)
  for (const line of differences) console.log(line)
}
await reading.close()
console.log(differ === 0 ? 'all that was compared agrees' : `${differ} files differ`)
process.exitCode = differ === 0 ? 0 : 1
