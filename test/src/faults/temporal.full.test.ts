import { randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { describeWithEngine } from '../engines.ts'
import { endedBatch, expectWholeBatch, statusesOf } from '../harness/batches.ts'
import { asAccount, type Client } from '../harness/client.ts'
import { startProxy, type Proxy } from '../harness/proxy.ts'
import { startServer, temporaryDataFolder, type RunningServer } from '../harness/server.ts'
import { balanceOf, expectBooksToBalance, useKillable } from './killable.ts'
import { diesAndRecovers } from './killed-batch.ts'
import { uploadAndDie } from './killed-upload.ts'
import { expectStatus } from '../harness/expect-status.ts'

const polling = { timeout: 60_000, interval: 50 }

describeWithEngine('temporal', 'with Temporal', (address) => {
  const settingsOf = (temporal: string) => ({
    TEMPORAL_ADDRESS: temporal,
    TEMPORAL_TASK_QUEUE: `test-${randomUUID()}`,
  })

  describe('kill -9', () => {
    const killable = useKillable(settingsOf(address))

    test('in an upload leaves it stored and charged, or absent and refunded', async () => {
      for (const point of [4, 9]) expect(await uploadAndDie(killable, point, 'before')).toBe(true)
    }, 300_000)

    test.each([false, true])(
      'in a batch leaves it to go on; cancelled: %s',
      async (cancels) => {
        for (const point of [6, 18]) expect(await diesAndRecovers(killable, point, cancels)).toBe(true)
      },
      300_000,
    )
  })

  describe('a server that is away', { timeout: 10 * 60_000 }, () => {
    let proxy: Proxy
    let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
    let server: RunningServer
    let apiKey: string
    let client: Client
    let settings: Record<string, string>
    beforeEach(async () => {
      proxy = await startProxy(address)
      settings = settingsOf(proxy.address)
      folder = await temporaryDataFolder()
      server = await startServer({ dataFolder: folder.path, env: settings })
      apiKey = server.apiKey!
      client = asAccount(server.url, apiKey)
    })
    afterEach(async () => {
      await server.stop()
      await proxy.cut()
      await folder.remove()
    })

    const status = async (): Promise<string> =>
      (await client.request('GET', '/v1/status')).body.data.components.api
    const staged = () => readdir(join(folder.path, 'staging'))
    const filesOf = (name: string) =>
      Array.from({ length: 8 }, (_, index) => ({
        filename: `${name}-${index}.txt`,
        bytes: `What ${name} wrote down on page ${index}, somewhere near Húsavík.`,
      }))

    test('refuses uploads uncharged, answers reads, and says so', async () => {
      expectStatus(await client.upload('before.txt', 'Before the storm in Akureyri.'), 200)
      await proxy.cut()
      await expect.poll(status, polling).toBe('degraded')
      const balance = await balanceOf(client)
      const refused = await client.upload('storm.txt', 'In the storm, near Akureyri.')
      expect([refused.status, refused.body.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE'])
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      expect([await balanceOf(client), await staged()]).toEqual([balance, []])
      expect((await client.request('GET', '/v1/media')).body.data.pagination.total_items).toBe(1)
      await proxy.mend()
      await expect.poll(status, polling).toBe('operational')
      expectStatus(await client.upload('storm.txt', 'In the storm, near Akureyri.'), 200)
      await expectBooksToBalance(client)
    })

    test('holds up batches, which then go on by themselves', async () => {
      const [under, during] = [filesOf('under way'), filesOf('during')]
      const first = (await client.batch(under)).body.data.batch_id
      await vi.waitUntil(
        async () => (await client.request('GET', `/v1/batches/${first}`)).body.data.progress.successful > 0,
        polling,
      )
      await proxy.cut()
      await expect.poll(status, polling).toBe('degraded')
      const created = await client.batch(during)
      expectStatus(created, 200)
      await proxy.mend()
      for (const [id, files] of [
        [first, under],
        [created.body.data.batch_id, during],
      ] as const) {
        const ended = await endedBatch(client, id)
        expectWholeBatch(
          ended,
          files.map(({ filename }) => filename),
        )
        expect(new Set(statusesOf(ended.results))).toEqual(new Set(['succeeded']))
      }
      await expectBooksToBalance(client)
      expect(await staged()).toEqual([])
    })

    test('keeps nobody from starting: what waits is worked off once it is back', async () => {
      await proxy.cut()
      const files = filesOf('waiting')
      const { batch_id: id } = (await client.batch(files)).body.data
      await server.kill()
      server = await startServer({ dataFolder: folder.path, env: settings })
      client = asAccount(server.url, apiKey)
      expect(await status()).toBe('degraded')
      expect((await client.request('GET', `/v1/batches/${id}`)).body.data.progress.pending).toBe(files.length)
      await proxy.mend()
      const ended = await endedBatch(client, id)
      expect(new Set(statusesOf(ended.results))).toEqual(new Set(['succeeded']))
      await expectBooksToBalance(client)
      expect(await staged()).toEqual([])
    })

    test('and a client that hangs up leave nothing behind', async () => {
      await proxy.cut()
      const leaving = new AbortController()
      const form = new FormData()
      form.set('file', new Blob(['Left alone at the harbour of Ólafsvík.']), 'left.txt')
      const left = fetch(`${server.url}/v1/media`, {
        method: 'POST',
        headers: { 'x-api-key': apiKey },
        body: form,
        signal: leaving.signal,
      })
      await expect.poll(async () => (await staged()).length, polling).toBeGreaterThan(0)
      leaving.abort()
      await expect(left).rejects.toThrow('aborted')
      await proxy.mend()
      await expect.poll(staged, polling).toEqual([])
      await expectBooksToBalance(client)
    })
  })
})
