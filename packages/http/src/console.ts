import type Koa from 'koa'
import { methodNotAllowed, Refusal } from './answers/refusal.ts'
import type { HttpOptions } from './options.ts'
import type { PageFiles } from './page-files.ts'

export const CONSOLE_PATH = '/console'
const ASSETS = `${CONSOLE_PATH}/assets/`

/** Only files of the console run: never a script from another origin, nor one in a file's name or text. */
const POLICY = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `img-src 'self' data:`,
  `connect-src 'self'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
  `require-trusted-types-for 'script'`,
].join('; ')

/** The smaller one first: browsers name them in another order. */
const ENCODINGS = ['br', 'gzip'] as const

export const isOfConsole = (path: string): boolean =>
  path === CONSOLE_PATH || path.startsWith(`${CONSOLE_PATH}/`)

/** Answers with the console. Every path that names no asset is a view of it: the page finds out which. */
export function consolePages({
  readConsole = async () => null,
}: HttpOptions): (ctx: Koa.Context) => Promise<void> {
  let files: PageFiles | null = null
  return async (ctx) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodNotAllowed('GET, HEAD')
    files ??= await readConsole()
    if (!files)
      throw new Refusal(
        'NOT_FOUND',
        'The console is not built here: `npm run console` in the sources builds it.',
      )
    const isAsset = ctx.path.startsWith(ASSETS)
    const file = files.get(isAsset ? ctx.path.slice(CONSOLE_PATH.length + 1) : 'index.html')
    if (!file) throw new Refusal('NOT_FOUND', 'There is no such file.')
    const form = ENCODINGS.find((encoding) => ctx.acceptsEncodings(encoding)) ?? 'identity'
    if (form !== 'identity') ctx.set('Content-Encoding', form)
    ctx.vary('Accept-Encoding')
    // The names of assets hold a digest of their content.
    ctx.set('Cache-Control', isAsset ? 'public, max-age=31536000, immutable' : 'no-cache')
    ctx.set('Content-Security-Policy', POLICY)
    ctx.set('Referrer-Policy', 'no-referrer')
    ctx.set('Cross-Origin-Opener-Policy', 'same-origin')
    ctx.set('Content-Type', file.type)
    ctx.body = file[form]
  }
}
