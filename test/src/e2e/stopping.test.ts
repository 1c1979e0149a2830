import { setTimeout as sleep } from 'node:timers/promises'
import type { Understanding } from '@medialog/application'
import { readConfig, startService, type Engines } from '@medialog/server'
import { expect, test } from 'vitest'
import { createFaults, gate } from '../contract/port-faults.ts'
import { note, openService } from '../contract/served.ts'
import { asAccount, type Client } from '../harness/client.ts'
import { expectStatus } from '../harness/expect-status.ts'
import { temporaryDataFolder } from '../harness/server.ts'

test('a service that stops waits for the job of a batch that is at work', async () => {
  const service = await openService()
  const { client } = await service.openAccount(1)
  const { reached, open, pass } = gate()
  const stored: string[] = []
  await service.faults.during(
    'artifacts.put',
    async (real, args) => {
      const put = await pass(real, args)
      stored.push(args[1] as string)
      return put
    },
    async () => {
      expectStatus(await client.batch([{ filename: 'a.txt', bytes: note() }]), 200)
      await reached
      const stopped = service.close().then(() => 'stopped')
      expect(await Promise.race([stopped, sleep(300, 'waits')])).toBe('waits')
      open()
      expect(await stopped).toBe('stopped')
    },
  )
  expect(stored.length).toBeGreaterThan(0)
})

test('an upload that a stop cuts off is refunded and answered, and can be sent again', async () => {
  const folder = await temporaryDataFolder()
  const faults = createFaults()
  const start = () =>
    startService(
      readConfig({
        PORT: '0',
        MEDIALOG_DATA_DIR: folder.path,
        MEDIALOG_LOG_LEVEL: 'silent',
        MEDIALOG_DRAIN_SECONDS: '1',
      }),
      { adapt: (engines: Engines) => faults.between(engines) },
    )
  const first = await start()
  const apiKey = /mlk_\w+/.exec(first.greeting)![0]
  const client = asAccount(first.url, apiKey)
  const text = note()
  const upload = (by: Client) => by.upload('long.txt', text, {}, { 'Idempotency-Key': 'one-upload' })
  const reached = Promise.withResolvers<void>()
  const cutOff = await faults.during(
    'understanding.understand',
    // Reads until it is interrupted.
    (_, args) => {
      const [, { signal }] = args as Parameters<Understanding['understand']>
      reached.resolve()
      return new Promise((_resolve, reject) =>
        signal!.addEventListener('abort', () => reject(signal!.reason as Error)),
      )
    },
    async () => {
      const uploaded = upload(client)
      await reached.promise
      await first.close()
      return uploaded
    },
  )
  expect(cutOff.body).toMatchObject({ success: false, error: { code: 'SERVICE_UNAVAILABLE' } })
  expect(cutOff.status).toBe(503)
  expect(cutOff.headers.get('retry-after')).toMatch(/^\d+$/)

  const second = await start()
  const again = asAccount(second.url, apiKey)
  const balance = async () => (await again.request('GET', '/v1/usage')).body.data.account_info.balance
  expect(await balance()).toBe(10)
  expectStatus(await upload(again), 200)
  expect(await balance()).toBe(9.96)
  await second.close()
  await folder.remove()
})
