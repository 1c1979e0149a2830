import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { gate } from '../contract/port-faults.ts'
import { note, openService } from '../contract/served.ts'
import { expectStatus } from '../harness/expect-status.ts'

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
