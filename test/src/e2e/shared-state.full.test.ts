import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openBucket, type Bucket } from '@medialog/artifacts'
import { keysOf, newBucket } from '@medialog/artifacts/testing/new-bucket'
import { readConfig, startService } from '@medialog/server'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createFaults } from '../contract/port-faults.ts'
import { describeWithEngine } from '../engines.ts'
import { balanceOf, expectBooksToBalance } from '../faults/killable.ts'
import { endedBatch, expectWholeBatch } from '../harness/batches.ts'
import { asAccount, type Client } from '../harness/client.ts'
import { startProxy, type Proxy } from '../harness/proxy.ts'
import { startServer, temporaryDataFolder } from '../harness/server.ts'
import { expectStatus } from '../harness/expect-status.ts'

const LONG = { timeout: 120_000, interval: 100 }
// Each starts one server or two, and waits for storage to be given up.
vi.setConfig({ testTimeout: 240_000 })

let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
beforeEach(async () => {
  folder = await temporaryDataFolder()
})
afterEach(() => folder.remove())

const statusOf = async (client: Client) => (await client.request('GET', '/v1/status')).body.data

describeWithEngine('s3', 'a service on a bucket', (url) => {
  /** A bucket of the test's own behind a proxy, and the settings of a service that uses it. */
  async function bucketBehindProxy(): Promise<{ bucket: Bucket; proxy: Proxy; env: Record<string, string> }> {
    const { settings } = await newBucket(url)
    const proxy = await startProxy(new URL(url).host)
    onTestFinished(() => proxy.cut())
    const env = {
      S3_URL: `http://${proxy.address}`,
      S3_BUCKET: settings.bucket,
      S3_REGION: settings.region,
      S3_ACCESS_KEY_ID: settings.accessKeyId,
      S3_SECRET_ACCESS_KEY: settings.secretAccessKey,
    }
    return { bucket: await openBucket(settings), proxy, env }
  }

  async function start(env: Record<string, string>) {
    const server = await startServer({ dataFolder: folder.path, env })
    onTestFinished(() => server.kill())
    return { server, client: asAccount(server.url, server.apiKey!) }
  }

  test('what is stored is in the bucket and nowhere else, and gone from it once it is deleted', async () => {
    const { bucket, env } = await bucketBehindProxy()
    const { server, client } = await start(env)
    const headers = { 'idempotency-key': 'once' }
    const { status, body } = await client.upload('sea.txt', 'The sea is deep and wide.', {}, headers)
    expect(status).toBe(200)
    expect(await statusOf(client)).toMatchObject({
      status: 'operational',
      components: { storage: 'operational', artifacts: 'operational' },
    })
    const asked = await client.request('POST', '/v1/ai/query', {
      json: { query: 'How is the sea?' },
      headers: { 'idempotency-key': 'asked' },
    })
    expectStatus(asked, 200)
    const folders = (await keysOf(bucket)).map((key) => key.split('/')[0])
    expect(new Set(folders)).toEqual(new Set(['answers', 'artifacts', 'ingests']))
    const files = await readdir(join(folder.path, 'artifacts'))
    expect(files.filter((name) => !name.startsWith('.'))).toEqual([])
    expect(await readdir(join(folder.path, 'staging'))).toEqual([])

    const replayed = await client.upload('sea.txt', 'The sea is deep and wide.', {}, headers)
    expect(replayed.body.data).toEqual(body.data)
    await client.request('DELETE', `/v1/media/${body.data.media_id}`)
    await vi.waitFor(async () => {
      expect((await keysOf(bucket)).filter((key) => !key.startsWith('answers/'))).toEqual([])
    }, LONG)
    expect(await server.stop()).toBe(0)
    expect(server.errors()).not.toContain(env['S3_SECRET_ACCESS_KEY'])
  })

  test('a bucket that is cut off in mid-upload: 503 and no charge, and all is well once it is back', async () => {
    const { bucket, proxy, env } = await bucketBehindProxy()
    const { client } = await start(env)
    const before = await balanceOf(client)
    proxy.hang()
    const uploading = client.upload('long.txt', 'All of it. '.repeat(2_000))
    // On this machine it is whole: from here on it is on its way to the bucket.
    await vi.waitFor(async () => {
      const names = await readdir(join(folder.path, 'staging'))
      expect(names.filter((name) => !name.endsWith('.part'))).toHaveLength(1)
    }, LONG)
    await proxy.cut()
    const { status, body } = await uploading
    expect([status, body.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE'])
    expect(await balanceOf(client)).toBe(before)
    expect(await readdir(join(folder.path, 'staging'))).toEqual([])
    expect(await statusOf(client)).toMatchObject({
      status: 'degraded',
      components: { api: 'operational', storage: 'degraded', artifacts: 'unavailable' },
    })

    await proxy.mend()
    await vi.waitFor(async () => expect((await statusOf(client)).status).toBe('operational'), LONG)
    expectStatus(await client.upload('long.txt', 'All of it. '.repeat(2_000)), 200)
    await expectBooksToBalance(client)
    await vi.waitFor(async () => {
      expect((await keysOf(bucket)).filter((key) => key.startsWith('staging/'))).toEqual([])
    }, LONG)
  })

  test('one that is gone after the charge: 503, all is refunded, and nothing is left of the item', async () => {
    const { bucket, proxy, env } = await bucketBehindProxy()
    const faults = createFaults()
    const config = readConfig({
      ...env,
      PORT: '0',
      MEDIALOG_DATA_DIR: folder.path,
      MEDIALOG_LOG_LEVEL: 'silent',
    })
    const service = await startService(config, { adapt: (engines) => faults.between(engines) })
    onTestFinished(() => service.close())
    const client = asAccount(service.url, /mlk_\S+/.exec(service.greeting)![0])
    const before = await balanceOf(client)
    const cut = async (real: () => unknown): Promise<unknown> => {
      await proxy.cut()
      return real()
    }
    await faults.during('understanding.understand', cut, async () => {
      const { status, body } = await client.upload('sea.txt', 'The sea is deep and wide.')
      expect([status, body.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE'])
    })
    await vi.waitFor(async () => expect(await balanceOf(client)).toBe(before), LONG)
    await proxy.mend()
    await vi.waitFor(async () => expect(await keysOf(bucket)).toEqual([]), LONG)
    expectStatus(await client.upload('sea.txt', 'The sea is deep and wide.'), 200)
  })

  test('a batch goes on after a kill -9, although the machine lost its copies', async () => {
    const { env } = await bucketBehindProxy()
    const { server, client } = await start({ ...env, MEDIALOG_EXTRACTORS: '1' })
    const files = Array.from({ length: 12 }, (_, n) => ({
      filename: `page-${n}.txt`,
      bytes: `Page ${n} of the book. `.repeat(500),
    }))
    const { status, body } = await client.batch(files)
    expect(status).toBe(200)
    await server.kill()
    await rm(join(folder.path, 'staging'), { recursive: true })
    const next = await startServer({ dataFolder: folder.path, env })
    onTestFinished(() => next.kill())
    const again = asAccount(next.url, server.apiKey!)
    const ended = await endedBatch(again, body.data.batch_id)
    expect(ended.batch.status).toBe('completed')
    expectWholeBatch(
      ended,
      files.map(({ filename }) => filename),
    )
    await expectBooksToBalance(again)
  })

  test('a service with another log does not start on it', async () => {
    const { env } = await bucketBehindProxy()
    const { server, client } = await start(env)
    expectStatus(await client.upload('sea.txt', 'The sea.'), 200)
    await server.stop()
    const other = await temporaryDataFolder()
    onTestFinished(() => other.remove())
    await expect(startServer({ dataFolder: other.path, env })).rejects.toThrow(
      `there is what was stored (the bucket ${env['S3_BUCKET']}) of an earlier one`,
    )
    const gone = { ...env, S3_BUCKET: `${env['S3_BUCKET']}-not` }
    await expect(startServer({ dataFolder: folder.path, env: gone })).rejects.toThrow('it is not there')
  })
})

describeWithEngine('redis', 'a service that counts requests in Redis', (address) => {
  test('remembers them over a restart', async () => {
    const env = { REDIS_URL: address, MEDIALOG_RATE_LIMITS: 'standard=5' }
    const server = await startServer({ dataFolder: folder.path, env })
    const request = (url: string) => asAccount(url, server.apiKey!).request('GET', '/v1/status')
    for (let n = 0; n < 3; n++) expectStatus(await request(server.url), 200)
    await server.kill()
    const next = await startServer({ dataFolder: folder.path, env })
    onTestFinished(() => next.kill())
    const { status, body } = await request(next.url)
    expect(status).toBe(200)
    expect(body.data.account.rate_limits.remaining).toBeLessThan(4)
    expect(body.data.components.limits).toBe('operational')
  })
})
