import { deleteTopics, readTopics, settingsOf } from '@medialog/messaging/testing/topics'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { describeWithEngine } from '../engines.ts'
import { LONG, publisherIs, publishingMetrics, startPublishing, upload } from '../harness/publishing.ts'
import { temporaryDataFolder } from '../harness/server.ts'

let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
beforeEach(async () => {
  folder = await temporaryDataFolder()
})
afterEach(() => folder.remove())

const typesOf = (records: Awaited<ReturnType<typeof readTopics>>) =>
  records.map(({ headers }) => headers['ce_type']!.replace('medialog.', '')).toSorted()

describeWithEngine('kafka', 'with a broker', (address) => {
  test('what happens is published: uploads, moves, deletions, batches and what they cost', async () => {
    const settings = settingsOf(address)
    onTestFinished(() => deleteTopics(settings))
    const { server, client } = await startPublishing(folder.path, settings)
    const kept = await upload(client, 'whales.txt')
    await client.request('POST', '/v1/media/collections/sea/items', { json: { items: [kept] } })
    const gone = await upload(client, 'wreck.txt')
    await client.request('DELETE', `/v1/media/${gone}`)
    const { body: batch } = await client.batch([{ filename: 'tide.txt', bytes: 'The tide turns.' }])
    await vi.waitFor(async () => {
      const { body } = await client.request('GET', `/v1/batches/${batch.data.batch_id}`)
      expect(body.data.status).toBe('completed')
    }, LONG)
    await publisherIs(client, 'operational')
    await vi.waitFor(
      async () => expect((await publishingMetrics(server))['publishing_behind_events']).toBe(0),
      LONG,
    )
    const measured = await publishingMetrics(server)
    expect(await server.stop()).toBe(0)
    const records = await readTopics(settings)
    expect(measured).toMatchObject({ published_events_total: records.length, publishing_failing: 0 })
    const of = (topic: string) => typesOf(records.filter((record) => record.topic === topic))
    expect(of('media')).toEqual([
      'ItemsMoved',
      'MediaDeleted',
      'MediaIngested',
      'MediaIngested',
      'MediaIngested',
    ])
    expect(of('batches')).toEqual(['BatchCompleted', 'BatchCreated', 'BatchStarted', 'JobSucceeded'])
    expect(of('billing')).toEqual([
      ...Array<string>(3).fill('BalanceCharged'),
      'BalanceCredited',
      ...Array<string>(3).fill('ChargeSettled'),
    ])
    expect(JSON.stringify(records)).not.toMatch(/whales|wreck|tide|mlk_/)
  })
})
