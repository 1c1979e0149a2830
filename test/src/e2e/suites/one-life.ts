import { expect, test } from 'vitest'
import { nano } from '../../harness/batches.ts'
import type { TestServer } from '../../harness/suite.ts'
import { expectStatus } from '../../harness/expect-status.ts'

/** The life of one item, whatever the service is made of. */
export function testOneLife(server: Pick<TestServer, 'client'>): void {
  const balance = async (): Promise<number> =>
    nano((await server.client.request('GET', '/v1/usage')).body.data.account_info.balance)

  test('from upload to the bill: found, moved, deleted, charged once', async () => {
    const before = await balance()
    const text =
      'The Kjolur highland road crosses Iceland between two glaciers and is open in July and August only.'
    const { body: uploaded } = await server.client.upload('kjolur.txt', text, { collection_id: 'travel' })
    const id: string = uploaded.data.media_id

    const found = await server.client.request('POST', '/v1/search', {
      json: { query: 'When can one drive through the highlands of Iceland?', collections: 'travel' },
    })
    expectStatus(found, 200)
    const [first] = found.body.data.results
    expect(first).toMatchObject({ media_id: id, collection: 'travel', media_type: 'document' })
    expect(first.score).toBeGreaterThan(0.3)
    expect(first.relevance_explanation).toMatch(/confidence/i)
    expect(first.passage.text).toContain('Kjolur')

    const duplicate = await server.client.upload('same-under-another-name.txt', text)
    expectStatus(duplicate, 409)
    expect(duplicate.body.error).toMatchObject({
      code: 'DUPLICATE_FILE',
      details: { media_id: id, collection: 'travel' },
    })

    const move = () =>
      server.client.request('POST', '/v1/media/collections/archive/items', { json: { items: [id] } })
    const all = { total: 1, succeeded: 1, failed: 0 }
    expect((await move()).body.data.summary).toEqual({ ...all, already_in_collection: 0, moved: 1 })
    expect((await move()).body.data.summary).toEqual({ ...all, already_in_collection: 1, moved: 0 })
    expectStatus(await server.client.request('GET', '/v1/media/collections/travel'), 404)
    expect(
      (await server.client.request('GET', '/v1/media/collections/archive')).body.data.stats.item_count,
    ).toBe(1)

    const deleted = await server.client.request('DELETE', `/v1/media/${id}`)
    expect(deleted.body.data).toMatchObject({ media_id: id, deletion_status: 'completed', successful: true })
    for (const method of ['GET', 'DELETE'])
      expectStatus(await server.client.request(method, `/v1/media/${id}`), 404)
    const gone = await server.client.request('POST', '/v1/search', {
      json: { query: 'Kjolur highland road', collections: 'all' },
    })
    expect(gone.body.data.results.map((hit: { media_id: string }) => hit.media_id)).not.toContain(id)
    expect(await balance()).toBe(before - nano(0.04))
  })
}
