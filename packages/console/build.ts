// Builds the pages into `dist`: `npm run console`. With `--when-stale` only where they are not of these sources.
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const DIST = join(HERE, 'dist')
const STAMP = join(DIST, 'sources.sha256')

/** Of all that the pages are made of. */
function digestOfSources(): string {
  const digest = createHash('sha256')
  const paths = globSync(
    [
      'src/**/*',
      '../client/src/**/*.ts',
      '*.{html,ts,json}',
      '../../docs/verify-checkpoint.mjs',
      '../../package-lock.json',
    ],
    {
      cwd: HERE,
      withFileTypes: true,
    },
  )
    .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
    .map((entry) => join(entry.parentPath, entry.name))
  for (const path of paths.sort()) digest.update(path.slice(HERE.length)).update(readFileSync(path))
  return digest.digest('hex')
}

async function build(): Promise<void> {
  // Else what runs this, a test for example, would have React as it is for developing.
  process.env['NODE_ENV'] = 'production'
  const { build: bundle } = await import('vite')
  // Somebody may read the pages meanwhile, or build them as well.
  const outDir = `${DIST}.${process.pid}`
  await bundle({ root: HERE, logLevel: 'warn', build: { outDir, emptyOutDir: true } })
  for (const path of globSync('**/*.{html,js,css,svg}', { cwd: outDir })) {
    const bytes = readFileSync(join(outDir, path))
    writeFileSync(join(outDir, `${path}.br`), brotliCompressSync(bytes))
    writeFileSync(join(outDir, `${path}.gz`), gzipSync(bytes, { level: 9 }))
  }
  writeFileSync(join(outDir, 'sources.sha256'), digestOfSources())
  replaceWith(outDir)
}

/** Another build may end at the same moment: the last one stays. */
function replaceWith(outDir: string): void {
  rmSync(DIST, { recursive: true, force: true })
  try {
    renameSync(outDir, DIST)
  } catch (error) {
    if (!existsSync(DIST)) throw error
    replaceWith(outDir)
  }
}

const isFresh = (): boolean => existsSync(STAMP) && readFileSync(STAMP, 'utf8') === digestOfSources()

if (!process.argv.includes('--when-stale')) await build()
else if (!isFresh()) {
  // An installation without what builds it has the pages already, or does without.
  if (!existsSync(join(HERE, '../../node_modules/vite'))) process.exit(0)
  console.log('Building the console …')
  await build()
}
