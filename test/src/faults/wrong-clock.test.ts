import { afterAll, beforeAll, expect, test } from 'vitest'
import { openService, type OpenService } from '../contract/served.ts'
import type { Client } from '../harness/client.ts'
import { expectStatus } from '../harness/expect-status.ts'

const YEAR_MS = 365 * 24 * 3_600_000

let service: OpenService
beforeAll(async () => {
  service = await openService()
})
afterAll(() => service.close())

const upload = async (client: Client, index: number): Promise<void> =>
  expectStatus(await client.upload(`${index}.txt`, `Text number ${index} of a clock that leaps.`), 200)

const costsOf = async (client: Client) =>
  (await client.request('GET', '/v1/usage')).body.data.billing_summary.usage_costs

test('usage, statement and proof count all postings after one of a clock a year ahead', async () => {
  const { client } = await service.openAccount(1)
  await upload(client, 0)
  await service.faults.during(
    'clock.now',
    (real) => (real() as number) + YEAR_MS,
    () => upload(client, 1),
  )
  for (const index of [2, 3, 4]) await upload(client, index)

  expect(await costsOf(client)).toEqual({ DOCUMENT_PROCESSING: 0.15, VECTOR_PROCESSING: 0.05 })
  const { body } = await client.request('GET', '/v1/audit/statement')
  expect(body.data).toMatchObject({
    charged: '0.2',
    closing_balance: '0.8',
    final: false,
    proof: { holds: true },
  })
})

test('a clock that is set back in the middle of an upload costs it nothing', async () => {
  const { client } = await service.openAccount(1)
  for (let looks = 1; looks <= 20; looks++) {
    let left = looks
    await service.faults.during(
      'clock.now',
      (real) => (real() as number) - (left-- > 0 ? 0 : 2 * 3_600_000),
      () => upload(client, 100 + looks),
    )
  }
  expect(await costsOf(client)).toEqual({ DOCUMENT_PROCESSING: 0.6, VECTOR_PROCESSING: 0.2 })
})

test('a change is refused and costs nothing while the clock is known to be wrong', async () => {
  const { client } = await service.openAccount(1)
  await upload(client, 10)
  await service.faults.during(
    'clock.trouble',
    () => 'the system clock is 8760 hours ahead',
    async () => {
      const refused = await client.upload('11.txt', 'Not stored.')
      expectStatus(refused, 503)
      const status = await client.request('GET', '/v1/status')
      expect(status.body.data.status).toBe('degraded')
      expect(status.body.data.limitation ?? JSON.stringify(status.body)).toContain('changes are refused')
      expectStatus(await client.request('GET', '/v1/media'), 200)
    },
  )
  await upload(client, 11)
  expect(await costsOf(client)).toEqual({ DOCUMENT_PROCESSING: 0.06, VECTOR_PROCESSING: 0.02 })
})
