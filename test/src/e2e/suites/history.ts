import { describe, expect, test } from 'vitest'
import { endedBatch } from '../../harness/batches.ts'
import type { Client } from '../../harness/client.ts'
import type { TestServer } from '../../harness/suite.ts'
import { expectStatus } from '../../harness/expect-status.ts'

const BROKEN = Buffer.from('\x89PNG\r\n\x1a\nand then nothing', 'latin1')

interface Entry {
  [field: string]: unknown
  event: string
  posting?: { kind: string; amount: number }
}

const historyOf = async (client: Client, id: string) =>
  (await client.request('GET', `/v1/media/${id}/history`)).body.data
const eventsOf = ({ entries }: { entries: Entry[] }): string[] => entries.map(({ event }) => event)
const amountsOf = ({ entries }: { entries: Entry[] }): number[] =>
  entries.flatMap(({ posting }) => posting?.amount ?? [])
const requestOf = async (client: Client, id: string | null) =>
  (await client.request('GET', `/v1/requests/${id}`)).body.data

/** What an account can follow of its items and its requests. */
export function describeHistory(server: TestServer): void {
  describe('history', () => {
    test('of an item: what it was made with, what it cost, where it went, which answers spoke of it', async () => {
      const { client } = await server.openAccount(1)
      const headers = { 'idempotency-key': 'first', 'x-request-id': 'my-own' }
      const text = 'The ferry to Grímsey leaves at nine in the morning.'
      const uploaded = await client.upload('ferry.txt', text, {}, headers)
      const id: string = uploaded.body.data.media_id
      const request = uploaded.headers.get('x-request-id')!
      const ask = { query: 'when does the ferry leave', type: 'advanced' }
      const search = { json: ask, headers: { 'idempotency-key': 'search' } }
      expectStatus(await client.request('POST', '/v1/search', search), 200)
      const moved = { json: { items: [id] } }
      expectStatus(await client.request('POST', '/v1/media/collections/timetables/items', moved), 200)
      expectStatus(await client.upload('ferry-2.txt', text, { force_overwrite: 'true' }), 200)

      const history = await historyOf(client, id)
      expect(history).toMatchObject({ media_id: id, state: 'stored', erased: false })
      expect(eventsOf(history)).toEqual([
        'IngestClaimed',
        'BalanceCharged',
        'MediaIngested',
        'RequestCompleted',
        'ItemsMoved',
        'IngestClaimed',
        'BalanceCharged',
        'MediaOverwritten',
      ])
      expect(history.entries[1]).toMatchObject({
        request_id: request,
        correlation_id: 'my-own',
        operation: 'upload',
        posting: { kind: 'charge', amount: -0.04 },
      })
      expect(history.entries[2]).toMatchObject({
        request_id: request,
        filename: 'ferry.txt',
        collection: 'default',
        understanding: { embedder: expect.any(String), enricher: expect.stringContaining('medialog') },
      })
      expect(history.entries[2].understanding.warnings).toBeUndefined()
      expect(history.entries[3]).toMatchObject({ operation: 'search', cost: expect.any(Number) })
      expect(history.entries[4]).toMatchObject({ collection: 'timetables', media_ids: [id] })
      expect(history.entries[7]).toMatchObject({ filename: 'ferry-2.txt', understanding: { warnings: [] } })
      const { body: page } = await client.request('GET', `/v1/media/${id}/history?page=3&page_size=3`)
      expect(page.data.entries).toEqual(history.entries.slice(6))

      const caused = await requestOf(client, request)
      expect(caused).toMatchObject({
        request_id: request,
        charged: 0.04,
        refunded: 0,
        items: [{ media_id: id, state: 'stored', filename: 'ferry-2.txt', collection: 'timetables' }],
      })
      expect(eventsOf(caused)).toEqual([
        'RequestStarted',
        'IngestClaimed',
        'BalanceCharged',
        'MediaIngested',
        'RequestCompleted',
        'ChargeSettled',
      ])
    })

    test('of a batch: each file has its part of the charge, and its own refund', async () => {
      const { client } = await server.openAccount(1)
      const created = await client.batch([
        { filename: 'bread.txt', bytes: 'Rye bread with caraway needs a day.' },
        { filename: 'broken.png', bytes: BROKEN },
      ])
      const batch: string = created.body.data.batch_id
      await endedBatch(client, batch)
      const caused = await requestOf(client, created.headers.get('x-request-id'))
      expect(caused).toMatchObject({ batch_id: batch, charged: 0.08, refunded: 0.04 })
      const [bread, broken] = caused.items
      expect([bread, broken]).toMatchObject([{ state: 'stored', filename: 'bread.txt' }, { state: 'absent' }])
      expect(eventsOf(caused)).toEqual(expect.arrayContaining(['BatchSubmitted', 'BatchCompleted']))
      const refund = caused.entries.find(({ event }: Entry) => event === 'BalanceRefunded')
      expect(refund).toMatchObject({ batch_id: batch, media_ids: [broken.media_id], operation: 'batch' })

      const stored = await historyOf(client, bread.media_id)
      expect([stored.state, amountsOf(stored)]).toEqual(['stored', [-0.04]])
      expect(stored.entries[0]).toMatchObject({ event: 'BatchSubmitted', filename: 'bread.txt' })
      const failed = await historyOf(client, broken.media_id)
      expect([failed.state, amountsOf(failed)]).toEqual(['absent', [-0.04, 0.04]])
      expect(failed.entries.find(({ event }: Entry) => event === 'JobFailed')).toMatchObject({
        batch_id: batch,
        reason: 'corrupted_file',
      })
    })

    test('of an erased item: that it was, when and by whom, without its name', async () => {
      const { client } = await server.openAccount(1)
      const { body: created } = await client.batch([
        { filename: 'secret-plan.txt', bytes: 'What nobody shall read again.' },
      ])
      await endedBatch(client, created.data.batch_id)
      const { body: listed } = await client.request('GET', '/v1/media')
      const id: string = listed.data.items[0].media_id
      const json = { media_ids: [id], reason: 'no longer needed' }
      const removed = await client.request('DELETE', '/v1/media/batch', { json })
      const { entries } = await historyOf(client, id)
      expect(entries.at(-1)).toMatchObject({
        event: 'MediaDeleted',
        reason: 'no longer needed',
        request_id: removed.headers.get('x-request-id'),
        actor: expect.stringMatching(/^[a-z0-9]{8}$/),
      })
      await expect.poll(async () => (await historyOf(client, id)).erased, { timeout: 60_000 }).toBe(true)
      const history = await historyOf(client, id)
      expect(history.state).toBe('deleted')
      expect(eventsOf(history)).toEqual(['BatchSubmitted', 'BalanceCharged', 'JobSucceeded', 'MediaDeleted'])
      expect(amountsOf(history)).toEqual([-0.04])
      expect(JSON.stringify(history)).not.toContain('secret-plan')
      const caused = await requestOf(client, removed.headers.get('x-request-id'))
      expect(eventsOf(caused)).toEqual(['MediaDeleted'])
      expect(caused.items).toEqual([{ media_id: history.media_id, state: 'absent' }])

      // The same content again is the same item: what came before its deletion stays without a name.
      const again = await client.upload('public.txt', 'What nobody shall read again.')
      expectStatus(again, 200)
      const anew = await historyOf(client, id)
      expect(anew).toMatchObject({ state: 'stored', erased: true })
      expect(anew.entries.flatMap(({ filename }: Entry) => filename ?? [])).toEqual(['public.txt'])
    })

    test('of a request that was refused: what is known of it, and nothing of one that left nothing', async () => {
      const { client } = await server.openAccount(1)
      const headers = { 'idempotency-key': 'broken' }
      const refused = await client.upload('broken.png', BROKEN, {}, headers)
      expectStatus(refused, 400)
      const caused = () => requestOf(client, refused.headers.get('x-request-id'))
      // The answer waits until its money can be read; what else it caused may show a moment later.
      await expect
        .poll(async () => eventsOf(await caused()), { timeout: 30_000 })
        .toContain('RequestAbandoned')
      expect(eventsOf(await caused())).toEqual(
        expect.arrayContaining(['IngestClaimed', 'IngestReleased', 'BalanceRefunded']),
      )
      expect(await caused()).toMatchObject({ charged: 0.04, refunded: 0.04 })
      const malformed = await client.request('POST', '/v1/search', { json: {} })
      const unknown = await client.request('GET', `/v1/requests/${malformed.headers.get('x-request-id')}`)
      expect([unknown.status, unknown.body.error.code]).toEqual([404, 'RESOURCE_NOT_FOUND'])
    })

    test('is nobody else’s', async () => {
      const { client } = await server.openAccount(1)
      const { client: other } = await server.openAccount(1)
      const uploaded = await client.upload('mine.txt', 'What is mine and nobody else’s.')
      const id: string = uploaded.body.data.media_id
      const request = uploaded.headers.get('x-request-id')
      const none = id.replaceAll(/[0-9]/g, '0').replace(/-.000-.000-/, '-5000-8000-')
      const theirs = await other.request('GET', `/v1/media/${id}/history`)
      const nobodys = await other.request('GET', `/v1/media/${none}/history`)
      expect([theirs.status, theirs.body.message]).toEqual([404, nobodys.body.message])
      expectStatus(await other.request('GET', `/v1/requests/${request}`), 404)
      expectStatus(await client.request('GET', `/v1/media/${id}/history`), 200)
      const wrongType = id.replace('doc_', 'img_')
      expectStatus(await client.request('GET', `/v1/media/${wrongType}/history`), 404)
    })
  })
}
