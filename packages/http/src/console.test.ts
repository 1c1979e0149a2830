import { expect, test } from 'vitest'
import { refusal, startEdge } from './testing/edge.ts'

const fileOf = (type: string, text: string) => ({
  type,
  identity: Buffer.from(text),
  br: Buffer.from(`br of ${text}`),
  gzip: Buffer.from(`gzip of ${text}`),
})
const FILES = new Map([
  ['index.html', fileOf('text/html; charset=utf-8', '<page>')],
  ['assets/index-1.js', fileOf('text/javascript; charset=utf-8', 'run()')],
])

test('every view is the page, under a policy that runs nothing but its own files', async () => {
  await using edge = await startEdge({ readConsole: async () => FILES })
  for (const path of ['/console', '/console/', '/console/library/doc_1', '/']) {
    const answer = await edge.fetch(path, { key: null, headers: { 'accept-encoding': 'identity' } })
    expect(await answer.text()).toBe('<page>')
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.headers.get('cache-control')).toBe('no-cache')
    expect(answer.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; (?!.*(unsafe|https?:|\*))/,
    )
  }
})

test('assets are sent compressed, and may be cached for a year', async () => {
  await using edge = await startEdge({ readConsole: async () => FILES })
  const ask = (encoding: string) =>
    edge.fetch('/console/assets/index-1.js', { key: null, headers: { 'accept-encoding': encoding } })
  const plain = await ask('identity')
  expect([plain.headers.get('content-encoding'), await plain.text()]).toEqual([null, 'run()'])
  for (const [accepted, sent] of [
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
  ] as const) {
    const { headers, body } = await ask(accepted)
    // The test's bytes are not really encoded: the body is not read.
    await body?.cancel()
    expect([headers.get('content-encoding'), headers.get('vary')]).toEqual([sent, 'Accept-Encoding'])
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  }
})

test('what is no file of it is refused, and so is every method but GET and HEAD', async () => {
  await using edge = await startEdge({ readConsole: async () => FILES })
  for (const path of ['/console/assets/index-2.js', '/console/assets/%2e%2e%2findex.html', '/consoles'])
    expect((await refusal(await edge.fetch(path))).code).toBe('NOT_FOUND')
  const posted = await edge.fetch('/console', { method: 'POST' })
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  const head = await edge.fetch('/console', { method: 'HEAD', headers: { 'accept-encoding': 'identity' } })
  expect([head.status, await head.text()]).toEqual([200, ''])
  const root = await edge.fetch('/', { method: 'HEAD', redirect: 'manual' })
  expect([root.status, root.headers.get('location')]).toEqual([302, '/console'])
})

test('where it is not built, the answer says how to build it, until it is', async () => {
  let built = false
  await using edge = await startEdge({ readConsole: async () => (built ? FILES : null) })
  expect((await refusal(await edge.fetch('/console'))).message).toContain('npm run console')
  built = true
  expect((await edge.fetch('/console', { headers: { 'accept-encoding': 'identity' } })).status).toBe(200)
})
