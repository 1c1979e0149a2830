// Writes the package as it is published into `dist`: `npm run build --workspace=packages/client`, then `npm pack` there.
import { execFileSync } from 'node:child_process'
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

rmSync(at('dist'), { recursive: true, force: true })
execFileSync(
  process.execPath,
  [at('../../node_modules/typescript/bin/tsc'), '-p', at('tsconfig.build.json')],
  {
    stdio: 'inherit',
  },
)
// The compiler renames what programs import, and leaves declarations as they are.
for (const name of readdirSync(at('dist'), { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.d.ts')) continue
  const declarations = readFileSync(at(`dist/${name}`), 'utf8')
  writeFileSync(at(`dist/${name}`), declarations.replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"))
}
const source = JSON.parse(readFileSync(at('package.json'), 'utf8')) as { [field: string]: unknown }
const { name, version, description, license, type } = source
const published = {
  name,
  version,
  description,
  license,
  type,
  sideEffects: false,
  engines: { node: '>=20' },
  exports: { '.': { types: './index.d.ts', default: './index.js' } },
  imports: { '#platform': { node: './platform/node.js', default: './platform/browser.js' } },
}
writeFileSync(at('dist/package.json'), `${JSON.stringify(published, null, 2)}\n`)
copyFileSync(at('README.md'), at('dist/README.md'))
copyFileSync(at('../../LICENSE'), at('dist/LICENSE'))
