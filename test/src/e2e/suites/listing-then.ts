import { describe, expect, test } from 'vitest'
import type { Client } from '../../harness/client.ts'
import { moment } from '../../harness/moment.ts'
import { operated } from '../../harness/operations.ts'
import type { TestServer } from '../../harness/suite.ts'
import { expectStatus } from '../../harness/expect-status.ts'

const TEXT = {
  ferry: 'The ferry to Grímsey leaves at nine in the morning.',
  bread: 'Rye bread with caraway needs a day.',
  whale: 'A whale was seen off Húsavík.',
}
const QUERIES = ['', '&collection=default', '&collection=papers', '&media_type=image']

interface Listed {
  media_id: string
  erased?: true
}

const list = async (client: Client, query: string) =>
  (await client.request('GET', `/v1/media?page_size=100${query}`)).body.data
const idsIn = ({ items }: { items: Listed[] }): string[] => items.map((item) => item.media_id)

/** What an account's listing held at a moment, asked later. */
export function describeListingThen(server: TestServer): void {
  describe('a listing of the past', () => {
    test('holds what was listed then, and nothing of what was erased since but that it was there', async () => {
      const before = await moment()
      const { client } = await server.openAccount(1)
      const { client: other } = await server.openAccount(1)
      const listings: { at: string; ids: string[][] }[] = []
      const remember = async (): Promise<void> => {
        const ids = await Promise.all(QUERIES.map(async (query) => idsIn(await list(client, query))))
        listings.push({ at: await moment(), ids })
      }
      const upload = async (
        name: keyof typeof TEXT,
        fields: Record<string, string> = {},
      ): Promise<string> => {
        const { status, body } = await client.upload(`${name}.txt`, TEXT[name], fields)
        expect(status, body.message).toBe(200)
        return body.data.media_id
      }

      await remember()
      const ferry = await upload('ferry')
      const bread = await upload('bread')
      const whale = await upload('whale', { collection_id: 'papers' })
      await remember()
      const renamed = await client.upload('ferry-2.txt', TEXT.ferry, { force_overwrite: 'true' })
      expectStatus(renamed, 200)
      await client.request('POST', '/v1/media/collections/papers/items', { json: { items: [bread] } })
      await remember()
      await client.request('DELETE', `/v1/media/${whale}`)
      await remember()
      await client.request('DELETE', '/v1/media/collections/papers')
      await remember()
      const again = await upload('whale', { collection_id: 'papers' })
      await remember()
      expect(again).toBe(whale)
      expect(listings.map(({ ids }) => ids[0]!.length)).toEqual([0, 3, 3, 2, 1, 2])
      await expect
        .poll(async () => (await client.request('GET', `/v1/media/${bread}/history`)).body.data.erased, {
          timeout: 60_000,
        })
        .toBe(true)

      const compare = async (): Promise<void> => {
        const asked = listings.flatMap(({ at, ids }) =>
          QUERIES.map(async (query, index) => {
            const then = await list(client, `&as_of=${at}${query}`)
            const expected = { as_of: at, undated: 0, filters: { total_matching: ids[index]!.length } }
            expect(idsIn(then), `${at} ${query}`).toEqual(ids[index])
            expect(then).toMatchObject(expected)
          }),
        )
        await Promise.all(asked)
      }
      await compare()

      const [, stored, changed, removed, ended, present] = listings.map(({ at }) => at)
      const then = await list(client, `&as_of=${stored}`)
      const byId = (id: string) => then.items.find((item: Listed) => item.media_id === id)
      expect(byId(ferry)).toMatchObject({
        changed_since: true,
        collection: 'default',
        file_info: { filename: 'ferry.txt', checksum: expect.stringMatching(/^[0-9a-f]{64}$/) },
      })
      expect(byId(ferry).metadata).toBeUndefined()
      for (const [id, from, until] of [
        [bread, removed, ended],
        [whale, changed, removed],
      ]) {
        const { storage, erased_at: erasedAt, ...rest } = byId(id!)
        expect(rest).toEqual({ id, media_id: id, media_type: 'document', erased: true })
        expect(storage.created_at < stored!).toBe(true)
        expect(erasedAt > from! && erasedAt < until!).toBe(true)
      }
      const [newest, next] = [
        await list(client, `&as_of=${stored}`),
        (await client.request('GET', `/v1/media?page=2&page_size=1&as_of=${stored}`)).body.data,
      ]
      expect(next).toMatchObject({ items: [newest.items[1]], pagination: { total_items: 3, has_next: true } })
      const { as_of: _, undated: __, ...now } = await list(client, `&as_of=${present}`)
      expect(now).toEqual(await list(client, ''))
      const text = JSON.stringify(await Promise.all(listings.map(({ at }) => list(client, `&as_of=${at}`))))
      expect(text).not.toContain('bread')

      expect(idsIn(await list(other, `&as_of=${stored}`))).toEqual([])
      const early = await client.request('GET', `/v1/media?as_of=${before}`)
      expect([early.status, early.body.error.code]).toEqual([404, 'RESOURCE_NOT_FOUND'])

      // What is made anew knows no more than what is left in the log.
      const rebuilt = await operated(server.operator, { kind: 'projections-rebuild', name: 'history' })
      expect(rebuilt.result).toMatchObject({ read_model: 'history', identical: true, swapped: true })
      await compare()
    })
  })
}
