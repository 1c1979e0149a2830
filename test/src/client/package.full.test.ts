import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type * as Medialog from '@medialog/client'
import { chromium, type Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, temporaryDataFolder, type RunningServer } from '../harness/server.ts'
import { describeWithTool } from '../tools.ts'

const PACKAGE = fileURLToPath(new URL('../../../packages/client/', import.meta.url))
const TSC = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url))

/** An empty project with the packed package in it. */
let project: string
let installed: string
let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
let server: RunningServer
let pages: Server
let origin: string

beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), 'medialog-project-'))
  const run = (command: string, ...words: string[]): string =>
    execFileSync(command, words, { cwd: project, encoding: 'utf8' })
  run(process.execPath, join(PACKAGE, 'build.ts'))
  const packed = run('npm', 'pack', '--silent', join(PACKAGE, 'dist')).trim()
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  run('npm', 'install', '--silent', '--no-audit', '--no-fund', '--offline', `./${packed}`)
  installed = join(project, 'node_modules/@medialog/client')
  pages = createServer((request, response) => {
    const { pathname } = new URL(request.url!, 'http://localhost')
    if (pathname === '/') return void response.setHeader('content-type', 'text/html').end(PAGE)
    if (!pathname.endsWith('.js')) return void response.writeHead(404).end()
    response
      .setHeader('content-type', 'text/javascript')
      .end(readFileSync(join(installed, normalize(pathname))))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => pages.once('listening', resolve))
  origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`
  folder = await temporaryDataFolder()
  server = await startServer({ dataFolder: folder.path, env: { MEDIALOG_CORS_ORIGINS: origin } })
})
afterAll(async () => {
  pages.close()
  await server.stop()
  await folder.remove()
  rmSync(project, { recursive: true })
})

/** The package as a browser finds it, without a bundler. */
const PAGE = `<!doctype html><title>A page</title><script type="importmap">${JSON.stringify({
  imports: { '@medialog/client': '/index.js', '#platform': '/platform/browser.js' },
})}</script><script type="module">import * as medialog from '@medialog/client'; window.medialog = medialog</script>`

/** Uses the package as a program would; each runtime has texts of its own, which nothing else stored. */
const USE = `import { writeFileSync } from 'node:fs'
import { createClient, Refused } from '@medialog/client'
const [url, apiKey, runtime] = process.argv.slice(2)
const client = createClient({ url: url!, apiKey: apiKey! })
const file = { name: 'note.txt', content: new TextEncoder().encode('The bridge opened in 1940, says ' + runtime) }
const { media_id } = await client.uploadMedia({ file, collection_id: runtime! })
const again = await client.uploadMedia({ file }).catch((error: unknown) => error)
writeFileSync(runtime + '.md', '# A path of ' + runtime)
let sent = 0
const ofPath = await client.uploadMedia(
  { file: runtime + '.md', collection_id: runtime! },
  { onProgress: (progress) => (sent = progress.sent) },
)
const names: string[] = []
for await (const item of client.iterate('listMedia', { collection: runtime!, page_size: 1 })) names.push(item.media_id)
for await (const { event } of client.events({ after: 'beginning', types: ['MediaIngested'] }))
  if (event.subject.includes(media_id.slice(4))) break
console.log(JSON.stringify({ code: again instanceof Refused ? again.code : null, sent, listed: names.includes(media_id) && names.includes(ofPath.media_id) && names.length === 2 }))
client.close()
`

function expectUse(runtime: string, command: string, ...words: string[]): void {
  const told = execFileSync(command, [...words, 'use.ts', server.url, server.apiKey!, runtime], {
    cwd: project,
    encoding: 'utf8',
  })
  expect(JSON.parse(told)).toEqual({
    code: 'DUPLICATE_FILE',
    sent: `# A path of ${runtime}`.length,
    listed: true,
  })
}

test('the packed package runs in an empty project, and its types are whole', () => {
  writeFileSync(join(project, 'use.ts'), USE)
  writeFileSync(join(project, 'node.d.ts'), NODE)
  const flags = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--lib',
    'es2024,dom,dom.asynciterable',
  ]
  execFileSync(process.execPath, [TSC, ...flags, 'node.d.ts', 'use.ts'], { cwd: project, stdio: 'inherit' })
  expectUse('node', process.execPath)
})

/** What the program uses of Node: an empty project has no types of it. */
const NODE = `declare module 'node:fs' { export function writeFileSync(path: string, text: string): void }
declare const process: { argv: string[] }
`

describeWithTool('bun', 'under Bun', (bun) => {
  test('it runs as well', () => {
    writeFileSync(join(project, 'use.ts'), USE)
    expectUse('bun', bun)
  })
})

describeWithTool('deno', 'under Deno', (deno) => {
  test('it runs as well', () => {
    writeFileSync(join(project, 'use.ts'), USE)
    expectUse('deno', deno, 'run', '--allow-all', '--no-check')
  })
})

test('what a browser loads has at most 40 kB compressed', () => {
  const loaded = new Set<string>()
  const load = (path: string): void => {
    if (loaded.has(path)) return
    loaded.add(path)
    const source = readFileSync(join(installed, path), 'utf8')
    for (const [, name] of source.matchAll(/(?:from|import) '([^']+)'/g))
      load(name === '#platform' ? 'platform/browser.js' : join(path, '..', name!))
  }
  load('index.js')
  expect(loaded).not.toContain('platform/node.js')
  const sources = [...loaded].map((path) => readFileSync(join(installed, path), 'utf8')).join('\n')
  expect(gzipSync(sources).length).toBeLessThan(40_000)
})

describeWithTool('chromium', 'a page of another origin', (path) => {
  test('uploads with progress, searches, follows events and is refused', async () => {
    const browser: Browser = await chromium.launch({ executablePath: path, args: ['--no-sandbox'] })
    try {
      const page = await browser.newPage()
      await page.goto(origin, { waitUntil: 'load' })
      const told = await page.evaluate(
        async ([url, apiKey]) => {
          const { createClient, Refused } = (globalThis as unknown as { medialog: typeof Medialog }).medialog
          const client = createClient({ url: url!, apiKey: apiKey! })
          const progress: number[] = []
          const file = new File(['A page about the Golden Gate. '.repeat(2_000)], 'page.txt')
          const uploaded = await client.uploadMedia(
            { file },
            { onProgress: ({ sent }) => progress.push(sent) },
          )
          const { results } = await client.search({ query: 'Golden Gate', collections: 'all' })
          const refused = await client.uploadMedia({ file }).catch((error: unknown) => error)
          const stopped = await client
            .listMedia({}, { signal: AbortSignal.abort(new Error('enough')) })
            .catch((error: Error) => error.message)
          const types: string[] = []
          for await (const { event } of client.events({ after: 'beginning', types: ['MediaIngested'] })) {
            types.push(event.type)
            if (event.subject.includes(uploaded.media_id.slice(4))) break
          }
          return {
            sent: progress.at(-1),
            size: file.size,
            found: results[0]?.media_id === uploaded.media_id,
            code: refused instanceof Refused && refused.code,
            positions: client.positions.length,
            stopped,
            types: new Set(types).size,
          }
        },
        [server.url, server.apiKey],
      )
      expect(told).toEqual({
        sent: told.size,
        size: told.size,
        found: true,
        code: 'DUPLICATE_FILE',
        // Of its last write, and of the last event.
        positions: 2,
        stopped: 'enough',
        types: 1,
      })
    } finally {
      await browser.close()
    }
  })
})
