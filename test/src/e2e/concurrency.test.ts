import { expect, test } from 'vitest'
import type { Client } from '../harness/client.ts'
import { expectStatus } from '../harness/expect-status.ts'
import { useServer } from '../harness/suite.ts'

const server = useServer()

const count = <T>(values: readonly T[], wanted: T): number =>
  values.filter((value) => value === wanted).length
const usage = async (client: Client) => (await client.request('GET', '/v1/usage?detailed=true')).body.data

test('of 20 concurrent uploads of the same bytes one is stored and charged', async () => {
  const { client } = await server.openAccount(1)
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      client.upload(`copy-${n}.txt`, 'Twenty people send the same text at once.'),
    ),
  )
  const statuses = answers.map(({ status }) => status)
  expect([count(statuses, 200), count(statuses, 409)]).toEqual([1, 19])
  const { account_info, detailed_metrics } = await usage(client)
  expect(account_info.balance).toBe(0.96)
  expect(
    detailed_metrics.recent_transactions.filter(({ type }: { type: string }) => type === 'charge'),
  ).toHaveLength(1)
})

test('a balance for exactly 10 uploads takes exactly 10 of 40 concurrent ones', async () => {
  const { client } = await server.openAccount(0.4)
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      client.upload(`file-${n}.txt`, `File number ${n} of forty at the same moment.`),
    ),
  )
  const statuses = answers.map(({ status }) => status)
  expect([count(statuses, 200), count(statuses, 403)]).toEqual([10, 30])
  const refused = answers.find(({ status }) => status === 403)!
  expect(refused.body.error.code).toBe('INSUFFICIENT_FUNDS')
  expect(refused.body.error.details).toMatchObject({ required_amount: 0.04 })
  const { account_info } = await usage(client)
  expect(account_info.balance).toBe(0)
  expect((await client.request('GET', '/v1/media')).body.data.pagination.total_items).toBe(10)
})

test('100 concurrent moves of one account all succeed, and the items are where the last one put them', async () => {
  const { client } = await server.openAccount(1)
  const ids = await Promise.all(
    ['first', 'second'].map(async (name) => {
      const { body } = await client.upload(`${name}.txt`, `The ${name} of two files that are moved together.`)
      return body.data.media_id
    }),
  )
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, n) =>
      client.request('POST', `/v1/media/collections/shelf-${n % 10}/items`, { json: { items: ids } }),
    ),
  )
  for (const answer of answers) expectStatus(answer, 200)
  const { body } = await client.request('GET', '/v1/media')
  const collections = body.data.items.map(({ collection }: { collection: string }) => collection)
  expect(collections).toHaveLength(2)
  expect(new Set(collections).size).toBe(1)
})
