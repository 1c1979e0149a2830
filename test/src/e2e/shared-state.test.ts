import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { asAccount, type Client } from '../harness/client.ts'
import { startServer, temporaryDataFolder } from '../harness/server.ts'
import { expectStatus } from '../harness/expect-status.ts'

let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
beforeEach(async () => {
  folder = await temporaryDataFolder()
})
afterEach(() => folder.remove())

const statusOf = async (client: Client) => (await client.request('GET', '/v1/status')).body.data

test('files that were stored without a bucket are not left behind for one', async () => {
  const server = await startServer({ dataFolder: folder.path })
  await asAccount(server.url, server.apiKey!).upload('sea.txt', 'The sea.')
  await server.stop()
  const env = {
    S3_URL: 'http://127.0.0.1:1',
    S3_BUCKET: 'media',
    S3_ACCESS_KEY_ID: 'id',
    S3_SECRET_ACCESS_KEY: 'secret',
  }
  await expect(startServer({ dataFolder: folder.path, env })).rejects.toThrow('not in the bucket')
})

const PASSWORD = 'never-to-be-shown'

describe('a service that counts requests in Redis', () => {
  test('goes on without it, and says so', async () => {
    const server = await startServer({
      dataFolder: folder.path,
      env: { REDIS_URL: `redis://:${PASSWORD}@127.0.0.1:1` },
    })
    onTestFinished(() => server.kill())
    const client = asAccount(server.url, server.apiKey!)
    expect(await statusOf(client)).toMatchObject({
      status: 'degraded',
      components: { api: 'operational', storage: 'operational', limits: 'degraded' },
    })
    expectStatus(await client.upload('sea.txt', 'The sea.'), 200)
    expect(await server.stop()).toBe(0)
    expect(server.errors()).not.toContain(PASSWORD)
  })
})
