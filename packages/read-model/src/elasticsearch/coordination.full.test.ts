import { Client } from '@elastic/elasticsearch'
import { describeWithEngine } from '@medialog/test/engines'
import { expect, test, vi } from 'vitest'
import { describeCoordinationContract } from '../testing/coordination-contract.ts'
import { testIndices } from '../testing/elasticsearch-engine.ts'
import { recordsStore } from '../records/stores.ts'
import { documentsIndex } from './documents.ts'
import { openElasticsearchCoordination } from './coordination.ts'
import { openIndexStore } from './store.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

describeWithEngine('elasticsearch', 'coordination in Elasticsearch', (url) => {
  describeCoordinationContract('Elasticsearch', async () => {
    const { client, prefix, remove } = testIndices(url)
    return { connect: () => openElasticsearchCoordination({ client, prefix }), close: remove }
  })

  test('a write whose answer was lost is known as its own when it is sent again', async () => {
    const { client, prefix, remove } = testIndices(url)
    const losing = new Client({ node: url })
    const send = client.index.bind(client)
    // Written, and not heard of: then the client sends the same again.
    vi.spyOn(losing, 'index').mockImplementation((async (request: never) => {
      await send(request)
      return send(request)
    }) as never)
    const coordination = openElasticsearchCoordination({ client: losing, prefix })
    const note = await coordination.write('a', { at: 1 }, null)
    expect(note).toMatchObject({ value: { at: 1 } })
    expect(await coordination.write('a', { at: 2 }, note)).toMatchObject({ value: { at: 2 } })
    await losing.close()
    await remove()
  })

  test('the indices of read models that a former release had in place of a store are removed', async () => {
    const { client, prefix, remove } = testIndices(url)
    for (const name of ['usage-000001', 'usage-000002', 'usage-report'])
      await client.indices.create({ index: `${prefix}${name}` })
    const writer = await openIndexStore({ client, prefix, definition: documentsIndex(recordsStore) }).open()
    const left = Object.keys(await client.indices.get({ index: `${prefix}*` }))
    expect(left.sort()).toEqual([`${prefix}records-000001`, `${prefix}usage-report`])
    await writer.close()
    await remove()
  })

  test('tells where the read models in service stand, and of no other', async () => {
    const { client, prefix, remove } = testIndices(url)
    const coordination = openElasticsearchCoordination({ client, prefix })
    expect(await coordination.positions()).toEqual(new Map())
    const store = openIndexStore({ client, prefix, definition: documentsIndex(recordsStore) })
    const writer = await store.open()
    await writer.applyBatch([], 7)
    await (await store.build()).applyBatch([], 9)
    expect(await coordination.positions()).toEqual(new Map([['records', 7]]))
    await remove()
  })
})
