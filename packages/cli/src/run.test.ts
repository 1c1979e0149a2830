import { createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { fakeContext } from './testing/context.ts'
import { refused } from './testing/wire.ts'
import { medialog } from './testing/medialog.ts'

const context = fakeContext()
const { run } = context

describe('what goes wrong is said', () => {
  test.concurrent.each([
    [['lst'], 'Did you mean list?'],
    [['list', '--page', 'x'], 'whole number from 1'],
    [['search'], "missing required argument 'query'"],
    [['search', 'x', '--min-score', '2'], 'from 0 to 1'],
    [['search', 'x', '--type', 'poem'], 'Allowed are document'],
    [['search', 'x', '--depth', '6'], 'from 0 to 5'],
    [['search', 'x', '--factor', '0'], 'from 1 to 10'],
    [['similar'], "missing required argument 'id'"],
    [['accounts'], 'Name a command'],
    [['credits', 'add', 'dev', '-5x'], 'option'],
    [['credits', 'add', 'dev', '0'], 'above 0'],
    [['projections', 'verify', 'everything'], 'Allowed choices are catalog'],
    [['upload', 'not-there.pdf'], 'no file or folder not-there.pdf'],
    [['list', '--url', 'nonsense'], 'not an address'],
    [['list', '--profile', 'nope'], "no profile 'nope'"],
  ])('wrong usage: %j', async (args, said) => {
    const { code, stdout, stderr } = await run(...args)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr.toLowerCase()).toContain(said.toLowerCase())
  })

  test('nobody answers', async () => {
    const { url, free } = await unusedAddress()
    await free()
    const { code, stderr } = await run('list', '--url', url)
    expect(code).toBe(3)
    expect(stderr).toBe(
      `Error: No server answers at ${url}.\nStart one with \`npm start\`, or name another with --url.\n`,
    )
    // The same without a key: that there is no server is the news.
    expect((await medialog(['list', '--url', url], { cwd: context.folder })).code).toBe(3)
  })

  test('an answer takes too long', async () => {
    context.server.intercept(() => new Promise(() => {}))
    const { code, stderr } = await run('collections', 'list', '--timeout', '1')
    context.server.intercept(() => null)
    expect([code, stderr]).toEqual([3, expect.stringContaining('no answer within 1 s')])
  })

  test('not authorised: no key, a wrong one, one that may not, a wrong operator token', async () => {
    const none = await medialog(['list'], { env: { MEDIALOG_URL: context.server.url }, cwd: context.folder })
    expect([none.code, none.stderr]).toEqual([4, expect.stringContaining('MEDIALOG_API_KEY')])
    const wrong = await run('list', '--key', 'mlk_wrong_key')
    expect([wrong.code, wrong.stderr]).toEqual([4, expect.stringContaining('Give a key with --key')])
    expect((await run('search', 'x', '--key', 'mlk_readonly_x')).code).toBe(4)
    const operator = await run('accounts', 'list', '--operator-token', 'wrong')
    expect([operator.code, operator.stderr]).toEqual([4, expect.stringContaining('secrets/operator-token')])
  })

  test('the operator’s side is on another port', async () => {
    context.server.intercept(({ path }) =>
      path.startsWith('/admin/') ? refused(404, 'NOT_FOUND', 'There is no such path.') : null,
    )
    const { code, stderr } = await run('accounts', 'list')
    context.server.intercept(() => null)
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/no such path[^]*ADMIN_PORT: name its address with --url/),
    ])
  })

  test('a refusal, with its details and what to do', async () => {
    const { code, stderr } = await run('show', 'doc_nope')
    expect(code).toBe(1)
    expect(stderr).toContain('Error: There is no such media item.\n  resource_id: doc_nope\n')
    expect(stderr).toContain('RESOURCE_NOT_FOUND, request req_1')
    expect(stderr).toContain('medialog list')
  })

  test('with --json as one document, whatever the shape of the refusal', async () => {
    const { code, stdout, stderr } = await run('usage', '--from', '2000-01-01', '--json')
    expect([code, stdout]).toEqual([1, ''])
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: 'RESOURCE_NOT_FOUND',
        message: 'There is no such account.',
        hint: 'Ask for what there is.',
        status: 404,
        details: {},
        request_id: 'req_1',
      },
      exit_code: 1,
    })
    expect(JSON.parse((await run('lst', '--json')).stderr)).toMatchObject({
      error: { code: 'USAGE' },
      exit_code: 2,
    })
  })

  test('something else than Medialog answers', async () => {
    context.server.intercept(() => ({ status: 200, body: {}, headers: { 'content-type': 'text/html' } }))
    const { code, stderr } = await run('list')
    context.server.intercept(() => null)
    expect([code, stderr]).toEqual([1, expect.stringContaining('does not speak like Medialog')])
  })

  test('a busy server is asked again after as long as it says', async () => {
    let refusals = 0
    context.server.intercept(() =>
      refusals++ < 1 ? refused(429, 'RATE_LIMIT_EXCEEDED', 'Slow.', {}, { 'retry-after': '1' }) : null,
    )
    const { code } = await run('list')
    context.server.intercept(() => null)
    expect([code, refusals]).toEqual([0, 2])
  })

  test('control characters of the server never reach the terminal', async () => {
    context.server.intercept(() =>
      refused(400, 'VALIDATION_ERROR', '\u001b]0;owned\u0007bad', { reason: '\u009b31m' }),
    )
    const { stderr } = await run('list')
    context.server.intercept(() => null)
    expect(stderr).toMatch(/^Error: bad\n/)
    // oxlint-disable-next-line eslint/no-control-regex -- what must not be there
    expect(stderr).not.toMatch(/[\u001b\u009b]/)
  })
})

/** An address of this machine where nobody listens once it is free. */
async function unusedAddress(): Promise<{ url: string; free: () => Promise<void> }> {
  const listener = createServer()
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const { port } = listener.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    free: () => new Promise((resolve) => listener.close(() => resolve())),
  }
}
