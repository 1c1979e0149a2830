import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { longRecording } from '@medialog/understanding/testing/long-recording'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openAccount } from '../harness/accounts.ts'
import { batchWhere, endedBatch, nano, readBatch } from '../harness/batches.ts'
import { asAccount, asOperator, type Client } from '../harness/client.ts'
import { follow } from '../harness/feed.ts'
import { expectStatus } from '../harness/expect-status.ts'
import { startServer, temporaryDataFolder, type RunningServer } from '../harness/server.ts'

vi.setConfig({ testTimeout: 300_000 })

/** A minute and three quarters: five seconds of work on an idle machine. */
const LONG = 5
const STAGING = 'staging'

let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
let server: RunningServer
let apiKey: string
let client: Client

beforeAll(async () => {
  folder = await temporaryDataFolder()
  server = await startServer({ dataFolder: folder.path })
  apiKey = server.apiKey!
  client = asAccount(server.url, apiKey)
}, 120_000)
afterAll(async () => {
  await server.stop()
  await folder.remove()
})

const balance = async (): Promise<number> =>
  nano((await client.request('GET', '/v1/usage')).body.data.account_info.balance)
const charged = (before: number) =>
  vi.waitFor(async () => expect(await balance()).toBeLessThan(before), { timeout: 60_000, interval: 50 })
/** By then a file is read, and listened to, on any but a very slow machine. */
const READ_MS = 2_000

test('texts of another account do not wait for what is listened to', async () => {
  const operator = asOperator(server.url, server.operatorToken)
  const { apiKey: key } = await openAccount(operator, { name: 'other', credit: 5 })
  const other = asAccount(server.url, key)
  const before = await balance()
  let isHeard = false
  const heard = client.upload('long.wav', await longRecording(LONG)).finally(() => (isHeard = true))
  await charged(before)
  expectStatus(await other.upload('note.txt', 'The ferry leaves at nine.'), 200)
  expect(isHeard).toBe(false)
  expect((await heard).body.data.media_id).toMatch(/^aud_/)
})

test('a batch says how far a long recording is, and the feed does', async () => {
  const feed = await follow(server.url, { 'x-api-key': apiKey })
  const { body } = await client.batch([{ filename: 'talk.wav', bytes: await longRecording(LONG + 2) }])
  const id = body.data.batch_id
  const seen = await batchWhere(client, id, ({ processing_jobs: jobs }) => jobs !== undefined, 100)
  expect(seen.processing_jobs).toHaveLength(1)
  const [{ filename, percent }] = seen.processing_jobs
  expect(filename).toBe('talk.wav')
  expect([10, 20, 30, 40, 50, 60, 70, 80, 90]).toContain(percent)
  expect(seen.progress).toMatchObject({ processing: 1, percent })
  const { batch } = await endedBatch(client, id)
  expect(batch).toMatchObject({ status: 'completed', progress: { percent: 100 } })
  expect(batch).not.toHaveProperty('processing_jobs')
  await vi.waitFor(() => expect(feed.types()).toContain('BatchCompleted'), { timeout: 60_000 })
  const percents = feed.events.flatMap(({ type, data }) =>
    type === 'medialog.JobProgressed' ? [data['percent'] as number] : [],
  )
  expect(percents).toContain(percent)
  expect(percents).toEqual(percents.toSorted((a, b) => a - b))
  feed.leave()
})

test('a batch that is cancelled while its recordings are listened to ends at once, and costs nothing', async () => {
  const before = await balance()
  const files = await Promise.all(
    [7, 8, 9].map(async (times) => ({ filename: `${times}.wav`, bytes: await longRecording(times) })),
  )
  const { body } = await client.batch(files)
  const id = body.data.batch_id
  await sleep(READ_MS)
  await client.request('PUT', `/v1/batches/${id}/state`)
  const asked = performance.now()
  await vi.waitFor(async () => expect((await readBatch(client, id)).status).toBe('cancelled'), {
    timeout: 60_000,
  })
  expect(performance.now() - asked).toBeLessThan(3_000)
  await endedBatch(client, id)
  expect(await balance()).toBe(before)
  // The thread is free for the next.
  expectStatus(await client.upload('short.wav', await longRecording(1)), 200)
})

test('kill -9 while a recording is listened to leaves it absent and refunded, or stored and charged', async () => {
  const before = await balance()
  const upload = client.upload('killed.wav', await longRecording(LONG + 1)).catch(() => null)
  await charged(before)
  await sleep(READ_MS)
  await server.kill()
  await upload
  server = await startServer({ dataFolder: folder.path })
  client = asAccount(server.url, apiKey)
  await vi.waitFor(
    async () => {
      const found = (await client.request('GET', '/v1/media')).body.data.items.filter(
        ({ file_info: { filename } }: { file_info: { filename: string } }) => filename === 'killed.wav',
      )
      expect(await balance()).toBe(before - found.length * 40_000_000)
    },
    { timeout: 120_000, interval: 500 },
  )
  expect(await readdir(join(folder.path, STAGING))).toEqual([])
})
