import { createClient, type Client } from '@medialog/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { freePort } from '../harness/free-port.ts'
import { startServer, temporaryDataFolder, type RunningServer } from '../harness/server.ts'

// Sixteen seconds alone; each restart takes several times as long on a machine that has other work.
vi.setConfig({ testTimeout: 240_000 })

const ITEM = 0.04

let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
let server: RunningServer
let port: string
let client: Client

const start = () => startServer({ dataFolder: folder.path, env: { PORT: port } })

beforeEach(async () => {
  folder = await temporaryDataFolder()
  port = String(await freePort())
  server = await start()
  client = createClient({ url: server.url, apiKey: server.apiKey!, attempts: 20 })
})
afterEach(async () => {
  client.close()
  await server.stop()
  await folder.remove()
})

/** kill -9, and another one a moment later. */
async function restart(): Promise<void> {
  await server.kill()
  server = await start()
}

const fileOf = (number: number) => ({
  name: `note-${number}.txt`,
  content: Buffer.from(`Note ${number} tells of bridge ${number}. `.repeat(2_000)),
})

test('uploads, lists and events go on over restarts: nothing is done twice, nothing is missed', async () => {
  const told: string[] = []
  const leaving = new AbortController()
  const feed = (async () => {
    const input = { after: 'beginning', types: ['MediaIngested', 'BalanceCharged'] }
    for await (const { event } of client.events(input, { signal: leaving.signal }))
      told.push(`${event.type} ${event.id}`)
  })().catch((error: unknown) => {
    if (!leaving.signal.aborted) throw error
  })

  // In the middle of uploads: one is being sent, others wait for their answers.
  let restarted: Promise<void> | undefined
  const onProgress = (): void => void (restarted ??= restart())
  const uploaded = await Promise.all(
    Array.from({ length: 6 }, (_, number) => client.uploadMedia({ file: fileOf(number) }, { onProgress })),
  )
  await restarted
  const ids = uploaded.map(({ media_id: id }) => id)
  expect(new Set(ids)).toHaveProperty('size', 6)

  // In the middle of a list, which moves meanwhile: one that was told is deleted, another one is stored.
  const listed: string[] = []
  for await (const { media_id: id } of client.iterate('listMedia', { page_size: 2 })) {
    if (listed.push(id) !== 2) continue
    await client.deleteMedia({ media_id: listed[0]! })
    await client.uploadMedia({ file: fileOf(6) })
    await restart()
  }
  expect(listed.toSorted()).toEqual(ids.toSorted())

  await restart()
  const last = await client.uploadMedia({ file: fileOf(7) })
  const toldOf = (type: string) => told.filter((event) => event.startsWith(`medialog.${type} `)).length
  await expect.poll(() => toldOf('MediaIngested'), { timeout: 30_000 }).toBe(8)
  leaving.abort()
  await feed
  expect(new Set(told).size).toBe(told.length)
  expect(toldOf('BalanceCharged')).toBeGreaterThanOrEqual(8)
  expect(last.balance_info.new_balance).toBe(10 - 8 * ITEM)
})
