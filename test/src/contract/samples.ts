import { batchWhere, endedBatch } from '../harness/batches.ts'
import { analyze, plain, requestOf, vectorIdOf, withNewItem, type KeyedOperation } from './plain-requests.ts'
import { fixture, note, type Served } from './served.ts'

type Sample = (served: Served) => Promise<unknown>

const uploaded =
  (name: string, fields: Record<string, string> = {}): Sample =>
  async ({ main }) => {
    const { body } = await main.client.upload(name.split('/').at(-1)!, await fixture(name), {
      include_vectors: 'true',
      ...fields,
    })
    const all = 'include_vectors=true&include_chunks=true&include_metadata=true'
    await main.client.request('GET', `/v1/media/${body.data.media_id}?${all}`)
  }

const plainly =
  (operation: KeyedOperation): Sample =>
  ({ main }) =>
    plain(operation)(main.client, main)

const DEMO = ['galloping-gertie.txt', 'whales-asleep.md', 'kimchi.txt']

/** Requests that together show every field. A field is said to be shown by the first in which it is. */
export const SAMPLES: { readonly [name: string]: Sample } = {
  'a PDF': uploaded('documents/sample.pdf'),
  'a Word document': uploaded('documents/sample.docx'),
  'a PNG': uploaded('images/sample.png'),
  'a JPEG': uploaded('images/sample.jpg'),
  'an MP3': uploaded('audio/sample.mp3'),
  'a recording of a reader': uploaded('audio/speech.ogg'),
  'a GLB': uploaded('3d/sample.glb'),
  'an MP4': uploaded('video/sample.mp4'),
  'the list': async ({ main }) => {
    for (const name of DEMO) await main.client.upload(name, await fixture(`demo/${name}`))
    await main.client.request('GET', '/v1/media?include_vectors=true&page_size=100')
  },
  'the collections': plainly('listCollections'),
  'a collection': plainly('readCollection'),
  'a move': plainly('moveItems'),
  'a deletion': async (served) => plain('deleteMedia')(served.main.client, await withNewItem(served)),
  'a deletion of several': async (served) => {
    const { doc } = await withNewItem(served)
    const json = { media_ids: [doc, 'doc_unknown'], reason: 'spring cleaning' }
    await served.main.client.request('DELETE', '/v1/media/batch', { json })
  },
  'a deletion of a collection': async (served) =>
    plain('deleteCollection')(served.main.client, await withNewItem(served)),
  'a batch with a broken file': async ({ main }) => {
    const { body } = await main.client.batch(
      [
        { filename: 'good.txt', bytes: note() },
        { filename: 'broken.png', bytes: (await fixture('images/sample.png')).subarray(0, 300) },
      ],
      { batch_options: '{"batch_name": "one of two"}' },
    )
    await endedBatch(main.client, body.data.batch_id)
    await main.client.request('GET', '/v1/batches')
    await main.client.request('PUT', `/v1/batches/${body.data.batch_id}/state`)
  },
  'a question about an item': async ({ main }) => {
    const { body } = await main.client.request('GET', '/v1/media?page_size=100')
    const bridge = body.data.items.find(
      ({ file_info }: { file_info: { filename: string } }) => file_info.filename === DEMO[0],
    )
    await main.client.request('POST', '/v1/ai/query', {
      json: {
        query: 'How fast was the wind when the bridge collapsed?',
        media_id: vectorIdOf(bridge.media_id),
      },
    })
  },
  'an analysis in text': async ({ main }) =>
    analyze(main.client, { query: 'When does the ferry leave?', system_prompt: 'Briefly.' }),
  'an analysis in JSON': async ({ main }) =>
    analyze(
      main.client,
      { query: 'How do whales sleep?', response_format: 'json' },
      { filename: 'whales.md', bytes: await fixture('demo/whales-asleep.md') },
    ),
  'an advanced search': connected,
  'a search for what is similar': async ({ main }) => {
    await main.client.request('POST', '/v1/search/similar', {
      json: { media_id: main.doc, cluster: true, max_results: 100 },
    })
    const { body } = await main.client.request('GET', '/v1/media?media_type=image')
    await main.client.request('POST', '/v1/search/similar', {
      json: { media_id: body.data.items[0].media_id, max_results: 100, include_reference: true },
    })
  },
  'the status': plainly('readStatus'),
  'the status without search': ({ faults, main }) =>
    faults.during(
      'search.position',
      async () => {
        throw new Error('a fault of this test')
      },
      () => plain('readStatus')(main.client, main),
    ),
  'the usage': plainly('readUsage'),
  'the ledger': plainly('readLedger'),
  'the statement of a month': plainly('readStatement'),
  'what happened in a batch with a broken file': async ({ main }) => {
    const { body } = await main.client.batch([
      { filename: 'told.txt', bytes: note() },
      { filename: 'broken.png', bytes: (await fixture('images/sample.png')).subarray(0, 300) },
    ])
    const { results } = await endedBatch(main.client, body.data.batch_id)
    await main.client.request('GET', `/v1/requests/${requestOf(body.data.batch_id)}`)
    await main.client.request('GET', `/v1/media/${results.job_results[0].media_id}/history`)
  },
  'usage compared': plainly('readUsageDiff'),
  'an account and its key': async ({ operator }) => {
    const { body } = await operator.request('POST', '/admin/accounts', { json: { name: 'shown', credit: 1 } })
    const account = `/admin/accounts/${body.data.account_id}`
    await operator.request('GET', '/admin/accounts')
    await operator.request('GET', account)
    await operator.request('POST', `${account}/credits`, { json: { amount: 1, reference: 'shown' } })
    const key = await operator.request('POST', `${account}/keys`, { json: { label: 'shown' } })
    await operator.request('POST', `${account}/keys/${key.body.data.key_id}/rotate`, { json: {} })
  },
  'an operation': async ({ operator }) => {
    await operator.request('POST', '/admin/operations', {
      json: { kind: 'projections-verify', name: 'usage' },
    })
  },
}

/** Two items of different types that have something in common. */
async function connected({ main }: Served): Promise<void> {
  await main.client.upload('harbour-lights.obj', await fixture('3d/sample.obj'))
  await main.client.upload('harbour-lights.txt', 'The harbour lights of Reykjavík burn all night.')
  await main.client.request('POST', '/v1/search', {
    json: {
      query: 'the harbour lights burn all night',
      type: 'advanced',
      collections: 'all',
      max_results: 100,
      config: { context_depth: 2, expansion_factor: 5 },
    },
  })
}

/** The standing batch has ended when the first of its results are looked at. */
export const ready = ({ main }: Served): Promise<unknown> =>
  batchWhere(main.client, main.batch, ({ status }) => status === 'completed')
