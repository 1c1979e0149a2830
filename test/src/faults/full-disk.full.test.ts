import { appendFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { asAccount, asOperator, connect, type Answer, type Client } from '../harness/client.ts'
import { eventsIn } from '../harness/log.ts'
import { startServer, type RunningServer } from '../harness/server.ts'
import { describeWithSmallDisk, mountSmallDisk, type SmallDisk } from '../small-disk.ts'
import { expectConsistent, expectMoney } from './consistency.ts'
import { expectStatus } from '../harness/expect-status.ts'

const RESERVED = 8_000_000
const BACK = { timeout: 60_000, interval: 200 }

describeWithSmallDisk('a full disk', () => {
  let disk: SmallDisk
  let server: RunningServer
  let client: Client
  let operator: Client
  let n = 0

  beforeAll(async () => {
    disk = mountSmallDisk(48)
    await start({})
  })
  afterAll(async () => {
    await server.stop()
    disk[Symbol.dispose]()
  })

  async function start(env: Record<string, string>): Promise<void> {
    server = await startServer({ dataFolder: join(disk.path, 'data'), env })
    const key = server.apiKey ?? apiKey
    apiKey = key
    client = asAccount(server.url, key)
    operator = asOperator(server.url, server.operatorToken)
  }
  let apiKey = ''

  const filler = () => join(disk.path, 'filler')
  const free = (): number => {
    const { bavail, bsize } = statfsSync(disk.path)
    return bavail * bsize
  }
  /** Leaves at most that much, to the page. */
  function fill(leave: number): void {
    const chunk = Buffer.alloc(4_096, 1)
    for (writeFileSync(filler(), ''); free() > leave;)
      appendFileSync(filler(), chunk.subarray(0, free() - leave))
  }
  const upload = (): Promise<Answer> =>
    client.upload(`otters-${n}.txt`, `Otters, volume ${n++}: they hold hands while they sleep.`)
  const items = async (): Promise<number> =>
    (await client.request('GET', '/v1/media')).body.data.pagination.total_items
  const balance = async (): Promise<number> =>
    (await client.request('GET', '/v1/usage')).body.data.account_info.balance
  const consistent = () =>
    expectConsistent({ client, operator, events: () => eventsIn(server.dataFolder), kafka: null })

  function expectRefused({ status, headers, body }: Answer): void {
    expect([status, body.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  }

  test('uploads are refused before it is full, reads go on, and it shows; room ends that', async () => {
    await server.stop()
    await start({ MEDIALOG_FREE_MEGABYTES: String(RESERVED / 1_000_000) })
    expectStatus(await upload(), 200)
    fill(RESERVED - 100_000)
    const [before, paid] = [await items(), await balance()]
    const refused = await upload()
    expectRefused(refused)
    expect(refused.headers.get('retry-after')).toBe('60')
    expectStatus(await client.batch([{ filename: 'a.txt', bytes: 'Otters in a batch.' }]), 503)
    expect(await readdir(join(server.dataFolder, 'staging'))).toEqual([])
    const { body: status } = await client.request('GET', '/v1/status')
    expect(status.data).toMatchObject({ status: 'degraded', components: { storage: 'degraded' } })
    expect(status.data.notice.message).toContain('uploads are refused until there is room on the disk again')
    const scraper = connect(server.url, { authorization: `Bearer ${server.operatorToken}` })
    const { body: metrics } = await scraper.request('GET', '/metrics')
    expect(metrics).toMatch(/^medialog_disk_reserved_bytes 8000000$/m)
    expect(Number(/^medialog_disk_free_bytes (\S+)$/m.exec(metrics)?.[1])).toBeLessThan(RESERVED)
    // What needs little room goes on: reading, searching, deleting.
    const found = await client.request('POST', '/v1/search', { json: { query: 'otters that sleep' } })
    expect([found.status, found.body.data.results.length]).toEqual([200, 1])
    expect([await items(), await balance()]).toEqual([before, paid])
    rmSync(filler())
    expectStatus(await upload(), 200)
    expect(await items()).toBe(before + 1)
    await consistent()
  })

  test('whatever write finds no room, nothing is half there or charged, and room mends it', async () => {
    await server.stop()
    await start({ MEDIALOG_FREE_MEGABYTES: '0' })
    let [refused, stored] = [0, await items()]
    // From no room at all up to enough: each time another write is the one that fails.
    for (const pages of [0, 2, 8, 20, 40, 70, 110]) {
      fill(pages * 4_096)
      const answer = await upload()
      if (answer.status === 200) stored++
      else {
        expectRefused(answer)
        refused++
      }
      expectStatus(await client.request('GET', '/v1/media'), 200)
    }
    expect(refused).toBeGreaterThan(0)
    rmSync(filler())
    await vi.waitFor(async () => expectStatus(await upload(), 200), BACK)
    await consistent()
    expect(await items()).toBe(stored + 1)
    expect(await balance()).toBeCloseTo(10 - 0.04 * (stored + 1), 9)
    expect(await readdir(join(server.dataFolder, 'staging'))).toEqual([])
  }, 180_000)

  test('kill -9 on a full disk loses nothing that was answered', async () => {
    const stored = await items()
    fill(0)
    expectRefused(await upload())
    await server.kill()
    rmSync(filler())
    await start({ MEDIALOG_FREE_MEGABYTES: '0' })
    await consistent()
    expect(await items()).toBe(stored)
    expectMoney(await eventsIn(server.dataFolder))
  })
})
