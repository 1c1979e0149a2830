import { readFile, readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const DIST = fileURLToPath(new URL('dist/', import.meta.url))
const TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    html: 'text/html; charset=utf-8',
    js: 'text/javascript; charset=utf-8',
    css: 'text/css; charset=utf-8',
    svg: 'image/svg+xml',
  }),
)

const typeOf = (path: string): string | undefined => TYPES.get(path.split('.').at(-1)!)

/** The files of the console by their path below it (`index.html`); null where it is not built. */
export async function readConsole() {
  const names = await readdir(DIST, { recursive: true }).catch(() => [])
  const paths = names.map((name) => name.replaceAll('\\', '/')).filter((path) => typeOf(path) !== undefined)
  if (!paths.includes('index.html')) return null
  const files = paths.map(async (path) => {
    const read = (ending: string) => readFile(`${DIST}${path}${ending}`)
    const [identity, br, gzip] = await Promise.all([read(''), read('.br'), read('.gz')])
    return [path, { type: typeOf(path)!, identity, br, gzip }] as const
  })
  return new Map(await Promise.all(files))
}
