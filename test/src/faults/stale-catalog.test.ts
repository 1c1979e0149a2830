import { afterAll, beforeAll, expect, test } from 'vitest'
import { gate, type Fault } from '../contract/port-faults.ts'
import { openService, type OpenService } from '../contract/served.ts'
import { endedBatch, nano, statusesOf } from '../harness/batches.ts'
import type { Answer, Client } from '../harness/client.ts'
import { expectStatus } from '../harness/expect-status.ts'

const TEXT = 'Bytes that are deleted, and sent again before the catalog has heard of it.'

let service: OpenService
let client: Client
beforeAll(async () => {
  service = await openService()
})
afterAll(() => service.close())

/** Deletes what was uploaded. The next look into the catalog then still shows it; the ones after that do not. */
async function deletedUnheard(
  path: (id: string) => string,
  sendAgain: () => Promise<unknown>,
): Promise<void> {
  ;({ client } = await service.openAccount(1))
  const { body } = await client.upload('a.txt', TEXT, { collection_id: 'papers' })
  let shown: unknown[] = []
  await service.faults.during(
    'catalog.items',
    async (real) => (shown = (await real()) as unknown[]),
    () => client.batch([{ filename: 'a.txt', bytes: TEXT }]),
  )
  expect(shown).toHaveLength(1)
  expectStatus(await client.request('DELETE', path(body.data.media_id)), 200)
  let looks = 0
  await service.faults.during(
    'catalog.item',
    (real) => (looks++ === 0 ? shown[0] : real()),
    () => service.faults.during('catalog.items', (real) => (looks++ === 0 ? shown : real()), sendAgain),
  )
  expect(looks).toBeGreaterThan(0)
}

test.each([
  ['an item', (id: string) => `/v1/media/${id}`],
  ['a collection', () => '/v1/media/collections/papers'],
])('an upload after the deletion of %s is stored', async (_, path) => {
  await deletedUnheard(path, async () => {
    const { status, body } = await client.upload('a.txt', TEXT, { collection_id: 'papers' })
    expect(status, JSON.stringify(body)).toBe(200)
  })
})

test('a batch after the deletion of an item stores it, and is charged for it', async () => {
  await deletedUnheard(
    (id) => `/v1/media/${id}`,
    async () => {
      const { body } = await client.batch([{ filename: 'a.txt', bytes: TEXT }])
      const { results } = await endedBatch(client, body.data.batch_id)
      expect(statusesOf(results)).toEqual(['succeeded'])
    },
  )
})

test('of items deleted twice the second request says that they were not found', async () => {
  let id = ''
  await deletedUnheard(
    (mediaId) => `/v1/media/${(id = mediaId)}`,
    async () => {
      const { status, body } = await client.request('DELETE', '/v1/media/batch', {
        json: { media_ids: [id] },
      })
      expect([status, body.data.deleted.count, body.data.failed.media_ids]).toEqual([200, 0, [id]])
    },
  )
})

test('of two uploads after the deletion of a collection one is stored and charged, however slow the other', async () => {
  ;({ client } = await service.openAccount(1))
  const upload = () => client.upload('a.txt', TEXT, { collection_id: 'papers' })
  expectStatus(await upload(), 200)
  const { reached, open, pass } = gate()
  let looks = 0
  const firstIsSlow: Fault = async (real, args) => {
    const shown = await real()
    return looks++ === 0 ? pass(() => shown, args) : shown
  }
  const [slow, quick] = await service.faults.during(
    'catalog.pendingErasures',
    () => [],
    async () => {
      expectStatus(await client.request('DELETE', '/v1/media/collections/papers'), 200)
      return service.faults.during('catalog.item', firstIsSlow, async () => {
        const first = upload()
        await reached
        const second = await upload()
        open()
        return [await first, second] as const
      })
    },
  )
  expect([quick.status, slow.status, slow.body.error?.code]).toEqual([200, 409, 'DUPLICATE_FILE'])
  const { body } = await client.request('GET', `/v1/media/${quick.body.data.media_id}`)
  expect(body.data.collection).toBe('papers')
  expect(nano((await client.request('GET', '/v1/usage')).body.data.account_info.balance)).toBe(nano(0.92))
})

test('items of a collection that is deleted while they are moved stay deleted', async () => {
  ;({ client } = await service.openAccount(1))
  const { body } = await client.upload('a.txt', TEXT, { collection_id: 'papers' })
  const json = { items: [body.data.media_id] }
  let looks = 0
  const { status } = await service.faults.during(
    'catalog.items',
    async (real) => {
      const shown = await real()
      if (looks++ === 0) expectStatus(await client.request('DELETE', '/v1/media/collections/papers'), 200)
      return shown
    },
    () => client.request('POST', '/v1/media/collections/elsewhere/items', { json }),
  )
  // Decided again, and looked at again before it is refused.
  expect([status, looks]).toEqual([404, 3])
  expectStatus(await client.request('GET', `/v1/media/${body.data.media_id}`), 404)
})

test.each<[string, (id: string) => Promise<Answer>]>([
  ['an upload', () => client.upload('b.txt', 'Stored while the read models are behind.')],
  [
    'a move',
    (id) => client.request('POST', '/v1/media/collections/elsewhere/items', { json: { items: [id] } }),
  ],
  ['a deletion', (id) => client.request('DELETE', `/v1/media/${id}`)],
  [
    'a deletion of several',
    (id) => client.request('DELETE', '/v1/media/batch', { json: { media_ids: [id] } }),
  ],
  ['a deletion of a collection', () => client.request('DELETE', '/v1/media/collections/papers')],
  ['a batch', () => client.batch([{ filename: 'b.txt', bytes: 'Stored while the read models are behind.' }])],
])('%s is answered only once every read shows it', async (_, write) => {
  ;({ client } = await service.openAccount(1))
  const { body } = await client.upload('a.txt', TEXT, { collection_id: 'papers' })
  const { reached, open, pass } = gate()
  const untilAllShow: Fault = (real, args) => {
    const { readModels } = args[1] as { readModels?: unknown }
    return readModels === undefined ? pass(real, args) : real()
  }
  await service.faults.during('projections.reached', untilAllShow, async () => {
    let isAnswered = false
    const answer = write(body.data.media_id).finally(() => (isAnswered = true))
    await Promise.race([reached, answer])
    expect(isAnswered).toBe(false)
    open()
    expectStatus(await answer, 200)
  })
})
