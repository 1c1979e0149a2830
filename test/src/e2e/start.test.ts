import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { asAccount } from '../harness/client.ts'
import { startServer, temporaryDataFolder } from '../harness/server.ts'

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

  const second = await startServer({ dataFolder: folder.path })
  expect(second.apiKey).toBeNull()
  expect((await asAccount(second.url, first.apiKey!).request('GET', '/v1/status')).status).toBe(200)
  expect(await second.stop()).toBe(0)
})

test('a second process on the same data folder is refused with a clear message', async () => {
  const first = await startServer({ dataFolder: folder.path })
  try {
    const refused = startServer({ dataFolder: folder.path })
    await expect(refused).rejects.toThrow(
      new RegExp(`${folder.path}.*${first.pid}|${first.pid}.*${folder.path}`, 's'),
    )
    expect((await fetch(`${first.url}/healthz`)).status).toBe(200)
  } finally {
    await first.stop()
  }
})

test.each([
  ['PORT', 'eighty', 'PORT must be a whole number.'],
  ['PORT', '70000', 'PORT must be at most 65535.'],
  [
    'MEDIALOG_RATE_LIMITS',
    'free=many',
    "MEDIALOG_RATE_LIMITS must read like free=60,standard=600, not 'free=many'.",
  ],
  ['KAFKA_BROKERS', '127.0.0.1:9092', 'KAFKA_BROKERS is set'],
])('%s=%s stops the start with one line that says why', async (name, value, message) => {
  await expect(startServer({ dataFolder: folder.path, env: { [name]: value } })).rejects.toThrow(message)
})
