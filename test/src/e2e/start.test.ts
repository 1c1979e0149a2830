import { chmod, cp, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { asAccount, asOperator } from '../harness/client.ts'
import { startServer, temporaryDataFolder, type ServerOptions } from '../harness/server.ts'
import { expectStatus } from '../harness/expect-status.ts'

// Some start the server three times.
vi.setConfig({ testTimeout: 60_000 })

let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
beforeEach(async () => {
  folder = await temporaryDataFolder()
})
afterEach(() => folder.remove())

test('the first start opens an account with ten dollars and prints its key once', async () => {
  const first = await startServer({ dataFolder: folder.path })
  expect(first.apiKey).toMatch(/^mlk_[0-9a-z]{8}_[0-9A-Za-z]{32,}$/)
  const usage = await asAccount(first.url, first.apiKey!).request('GET', '/v1/usage')
  expect(usage.body.data.account_info).toMatchObject({
    balance: 10,
    tier: 'standard',
    payment_status: 'active',
  })
  expect((await stat(join(folder.path, 'secrets', 'operator-token'))).mode & 0o777).toBe(0o600)
  expect(await first.stop()).toBe(0)

  const second = await startServer({ dataFolder: folder.path, env: { ADMIN_PORT: '0' } })
  expect(second.apiKey).toBeNull()
  const readJson = async (name: string) => JSON.parse(await readFile(join(folder.path, name), 'utf8'))
  const token = await readFile(join(folder.path, 'secrets', 'operator-token'), 'utf8')
  const accountsAt = (url: string) =>
    fetch(`${url}/admin/accounts`, { headers: { 'x-operator-token': token.trim() } })
  expectStatus(await accountsAt(second.url), 404)
  expectStatus(await accountsAt((await readJson('server.json')).url), 200)
  expectStatus(await asAccount(second.url, first.apiKey!).request('GET', '/v1/status'), 200)
  expect(await second.stop()).toBe(0)
})

test('in production no account is opened, no key is printed, and what is to be done is said', async () => {
  const server = await startServer({ dataFolder: folder.path, env: { NODE_ENV: 'production' } })
  try {
    expect(server.apiKey).toBeNull()
    expect(server.errors()).toContain('open an account, and give it a key: `medialog accounts create')
    const { body } = await asOperator(server.url, server.operatorToken).request('GET', '/admin/accounts')
    expect(body.data.accounts).toEqual([])
  } finally {
    await server.stop()
  }
})

test('a second process on the same data folder is refused with a clear message', async () => {
  const first = await startServer({ dataFolder: folder.path })
  try {
    const refused = startServer({ dataFolder: folder.path })
    await expect(refused).rejects.toThrow(
      new RegExp(`${folder.path}.*${first.pid}|${first.pid}.*${folder.path}`, 's'),
    )
    expectStatus(await fetch(`${first.url}/healthz`), 200)
  } finally {
    await first.stop()
  }
})

test.each([
  ['PORT', 'eighty', 'PORT must be a whole number.'],
  ['MEDIALOG_OCR_LANGUAGES', 'eng,tlh', "in 'tlh': there is no package @tesseract.js-data/tlh"],
])('%s=%s stops the start with one line that says why', async (name, value, message) => {
  expect(await refusal({ dataFolder: folder.path, env: { [name]: value } })).toContain(message)
})

/** What a start that failed said: one line. */
async function refusal(options: ServerOptions): Promise<string> {
  const error = await startServer(options).then(
    async (server) => {
      await server.stop()
      throw new Error('it started')
    },
    (failure: Error) => failure.message,
  )
  const [, said] = /^ended before it was ready \(1\): ([^]*)$/.exec(error) ?? [undefined, error]
  expect(said).toMatch(/^medialog: [^\n]+\n$/)
  return said
}

describe('a data folder that cannot be used is said in one line', () => {
  const path = (name: string) => join(folder.path, name)

  test('a file', async () => {
    await writeFile(path('file'), '')
    expect(await refusal({ dataFolder: path('file') })).toContain(
      `${path('file')} is a file where a folder belongs`,
    )
    expect(await refusal({ dataFolder: path('file/below') })).toContain('is a file where a folder belongs')
  })

  test('a place where none can be made', async () => {
    expect(await refusal({ dataFolder: '/proc/medialog/data' })).toContain(
      '/proc/medialog/data cannot be used',
    )
    expect(await refusal({ dataFolder: '/proc' })).toContain('/proc cannot be used')
  })

  test("another user's", async () => {
    await chmod(folder.path, 0o500)
    const uid = process.getuid!() === 0 ? { uid: 65_534 } : {}
    const said = await refusal({ dataFolder: path('data'), ...uid })
    expect(said).toMatch(/may not write to .*EACCES.*give the folder to that user/)
    await chmod(folder.path, 0o700)
  })

  test.each([
    ['garbage', async (log: string) => writeFile(log, 'no log at all '.repeat(2_000))],
    ['a part of the log', async (log: string) => truncate(log, 5_000)],
    ['a folder', async (log: string) => rm(log).then(() => mkdir(log))],
  ])('%s in place of the log', async (_, damage) => {
    const log = await usedLog()
    await damage(log)
    expect(await refusal({ dataFolder: folder.path })).toMatch(/event log .*events\.sqlite|a database in it/)
  })
})

/** A data folder that was in use: an item is stored in its log. */
let used: Awaited<ReturnType<typeof temporaryDataFolder>>
beforeAll(async () => {
  used = await temporaryDataFolder()
  const server = await startServer({ dataFolder: used.path })
  const client = asAccount(server.url, server.apiKey!)
  expectStatus(await client.upload('kept.txt', 'Kept in the log.'), 200)
  await server.stop()
})
afterAll(() => used.remove())

/** Makes the test's data folder a copy of it. Resolves with the path of its log. */
async function usedLog(): Promise<string> {
  await cp(used.path, folder.path, { recursive: true, preserveTimestamps: true })
  return join(folder.path, 'log', 'events.sqlite')
}

test('a log that was lost beside what was made from it stops the start', async () => {
  await rm(await usedLog())
  const said = await refusal({ dataFolder: folder.path })
  expect(said).toMatch(
    /the event log is empty, but the read model store \w+ was made from one that goes up to \d+: restore .*backup/,
  )
  // The next start finds it as lost as this one did.
  expect(await refusal({ dataFolder: folder.path })).toBe(said)
})

test('databases are readable by their owner only, also where an earlier start left them open to others', async () => {
  const log = await usedLog()
  await chmod(log, 0o644)
  const server = await startServer({ dataFolder: folder.path })
  const modes = new Map<string, number>()
  for (const name of await readdir(folder.path, { recursive: true }))
    if (/\.(sqlite|lock)/.test(name)) modes.set(name, (await stat(join(folder.path, name))).mode & 0o777)
  await server.stop()
  expect(modes.size).toBeGreaterThan(6)
  for (const [name, mode] of modes) expect(mode, name).toBe(0o600)
})

test('a tampered event stops the start', async () => {
  const database = new DatabaseSync(await usedLog())
  database.exec(`UPDATE events SET event = replace(event, '"name":"dev"', '"name":"evil"')`)
  database.close()
  expect(await refusal({ dataFolder: folder.path })).toMatch(
    /the event log .* is damaged \(position 1, revision 0 of account-\S+: the payload is not the one recorded\)/,
  )
})
