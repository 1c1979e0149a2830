import { truncateSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { startFakeServer, type FakeServer } from '../testing/fake-server.ts'
import { KEY, refused } from '../testing/wire.ts'
import { medialog, start, told } from '../testing/medialog.ts'

let server: FakeServer
let folder: string
beforeEach(async () => {
  server = await startFakeServer()
  folder = mkdtempSync(join(tmpdir(), 'medialog-upload-'))
})
afterEach(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

const put = (name: string, content = `text of ${name}`) => writeFileSync(join(folder, name), content)
const options = () => ({ cwd: folder, env: { MEDIALOG_URL: server.url, MEDIALOG_API_KEY: KEY } })
const upload = (...args: string[]) => medialog(['upload', ...args], options())
const uploads = () => server.requests.filter(({ path }) => path === '/v1/media')
const sentNames = () => uploads().map(({ file }) => file!.filename)

describe('what is uploaded', () => {
  test('a folder with everything below it that is not hidden, each file once', async () => {
    for (const name of ['sub', '.git']) mkdirSync(join(folder, name))
    for (const name of ['b.txt', 'a.txt', 'sub/한국어 "문서".txt', '.hidden', '.git/config']) put(name)
    symlinkSync(folder, join(folder, 'sub', 'loop'))
    const { code, stdout } = await upload('.', 'a.txt', '--collection', 'notes', '--concurrency', '1')
    expect(code).toBe(0)
    expect(sentNames()).toEqual(['a.txt', 'b.txt', '한국어 "문서".txt'])
    expect(uploads().map(({ body }) => body)).toEqual([1, 2, 3].map(() => ({ collection_id: 'notes' })))
    expect(stdout).toContain('3 stored')
    expect(stdout).toContain('cost $0.12, balance $9.88')
  })

  test('a hidden file that is named, and an empty one, byte by byte', async () => {
    put('.hidden', 'secret')
    put('empty.txt', '')
    await upload('.hidden', 'empty.txt', '--concurrency', '1')
    expect(uploads().map(({ file }) => file!.bytes.toString())).toEqual(['secret', ''])
  })

  test('a folder with nothing in it is said', async () => {
    const { code, stderr } = await upload('.')
    expect([code, stderr]).toEqual([1, expect.stringContaining('nothing to upload')])
  })
})

describe('what comes out', () => {
  test('duplicates are counted apart; a failure among others makes the exit code 1', async () => {
    put('a.txt', 'same')
    put('b.txt', 'same')
    put('c.xyz')
    const { code, stdout } = await upload('a.txt', 'b.txt', 'c.xyz', '--concurrency', '1')
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /✓ a\.txt {2}doc_\S+ {2}document, \$0\.04\n= b\.txt {2}doc_\S+ {2}already in default, free\n✗ c\.xyz/,
    )
    expect(stdout).toContain('1 stored, 1 duplicate, 1 failed')
    expect((await upload('a.txt')).code).toBe(0)
    expect((await upload('a.txt', '--overwrite')).stdout).toContain('✓ a.txt')
    expect(uploads().at(-1)!.body).toEqual({ force_overwrite: 'true' })
  })

  test('in a folder, a file of no supported type is skipped, and named', async () => {
    put('a.txt')
    put('c.xyz')
    const { code, stdout } = await upload('.', '--concurrency', '1')
    expect([code, stdout]).toEqual([0, expect.stringContaining('- c.xyz  not of a supported type, skipped')])
    expect(stdout).toContain('1 stored, 1 skipped')
    expect((await upload('.', 'c.xyz')).code).toBe(1)
  })

  test('--json: one document with each file in order and the sums', async () => {
    put('a.txt', 'same')
    put('b.txt', 'same')
    put('c.xyz')
    const { stdout } = await upload('.', '--json', '--concurrency', '1')
    expect(JSON.parse(stdout)).toMatchObject({
      files: [
        {
          path: join(folder, 'a.txt'),
          outcome: 'stored',
          cost: 0.04,
          media_id: expect.stringMatching(/^doc_/),
        },
        { outcome: 'duplicate', size_bytes: 4, media_id: expect.stringMatching(/^doc_/) },
        { outcome: 'skipped', error: { code: 'UNSUPPORTED_FILE_TYPE' } },
      ],
      summary: {
        stored: 1,
        duplicates: 1,
        skipped: 1,
        failed: 0,
        not_uploaded: 0,
        cost: 0.04,
        balance: 9.96,
      },
    })
  })

  test('a reason that all share decides the exit code', async () => {
    put('a.txt')
    const { code } = await medialog(['upload', '.', '--key', 'mlk_wrong_key'], options())
    expect(code).toBe(4)
  })
})

describe('a server that is busy', () => {
  test.each([429, 503])(
    '%i: tried again after Retry-After under the same Idempotency-Key',
    async (status) => {
      put('a.txt')
      const times: number[] = []
      server.intercept(({ path }) => {
        if (path !== '/v1/media' || times.push(Date.now()) > 2) return null
        return refused(
          status,
          status === 429 ? 'RATE_LIMIT_EXCEEDED' : 'SERVICE_UNAVAILABLE',
          'Later.',
          {},
          { 'retry-after': '1' },
        )
      })
      const { code } = await upload('a.txt')
      expect([code, times.length]).toEqual([0, 3])
      expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(990)
      const keys = uploads().map(({ headers }) => headers['idempotency-key'])
      expect(new Set(keys).size).toBe(1)
      expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
      expect(uploads().map(({ file }) => file!.bytes.toString())).toEqual(Array(3).fill('text of a.txt'))
    },
  )

  test('gives up after --attempts, and says why', async () => {
    put('a.txt')
    server.intercept(({ path }) =>
      path === '/v1/media' ? refused(503, 'SERVICE_UNAVAILABLE', 'Away.', {}, { 'retry-after': '0' }) : null,
    )
    const { code, stdout } = await upload('a.txt', '--attempts', '3')
    expect([code, uploads().length]).toEqual([1, 3])
    expect(stdout).toContain('✗ a.txt  Away. (SERVICE_UNAVAILABLE)')
  })

  test('files go at most --concurrency at a time, each under a key of its own', async () => {
    for (let index = 0; index < 8; index++) put(`${index}.txt`)
    let running = 0
    let most = 0
    const together = Promise.withResolvers<void>()
    server.intercept(async () => {
      most = Math.max(most, ++running)
      if (running === 3) together.resolve()
      await together.promise
      // Time for a fourth to show itself.
      await sleep(30)
      running--
      return null
    })
    await upload('.', '--concurrency', '3')
    expect(most).toBe(3)
    expect(new Set(uploads().map(({ headers }) => headers['idempotency-key'])).size).toBe(8)
  })
})

describe('Ctrl-C', () => {
  test('waits for what the server works on, starts nothing more, and sums up', async () => {
    for (let index = 0; index < 5; index++) put(`${index}.txt`)
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    server.intercept(() => held.then(() => null))
    const { child, ended } = start(['upload', '.', '--concurrency', '2'], options())
    await vi.waitFor(() => expect(uploads()).toHaveLength(2), { timeout: 30_000 })
    child.kill('SIGINT')
    await told(child, 'Ctrl-C again')
    release()
    const { code, stdout, stderr } = await ended
    expect([code, uploads().length]).toEqual([130, 2])
    expect(stdout).toContain('2 stored, 3 not uploaded')
    expect(stderr).toContain('Ctrl-C again leaves at once')
  })

  test('breaks off what is still being sent, without reading it into memory', async () => {
    put('big.bin', '')
    truncateSync(join(folder, 'big.bin'), 3_000_000_000)
    const { child, ended } = start(['upload', 'big.bin', '--json'], options())
    await vi.waitFor(() => expect(server.bytesIn()).toBeGreaterThan(1_000_000), { timeout: 30_000 })
    child.kill('SIGINT')
    const { code, stdout } = await ended
    expect(code).toBe(130)
    expect(JSON.parse(stdout).summary).toMatchObject({ stored: 0, not_uploaded: 1 })
    await vi.waitFor(() => expect(server.brokenOff()).toBe(1), { timeout: 30_000 })
  })

  test('twice leaves at once', async () => {
    put('a.txt')
    server.intercept(() => new Promise(() => {}))
    const { child, ended } = start(['upload', 'a.txt'], options())
    await vi.waitFor(() => expect(uploads()).toHaveLength(1), { timeout: 30_000 })
    child.kill('SIGINT')
    await told(child, 'Ctrl-C again')
    child.kill('SIGINT')
    const { code, stdout } = await ended
    expect([code, stdout]).toEqual([130, expect.stringContaining('1 not uploaded')])
  })
})
