import { hash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RECEIPT_HEADER } from '@medialog/contract/receipt'
import { noteSigner, signNote, verifierKey } from '@medialog/contract/signed-note'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newKey } from '../../audit/audited-log.ts'
import type { TestServer } from '../../harness/suite.ts'
import { verified } from '../../harness/third-party.ts'

const text = (n: number): string =>
  `The heron of lake ${n} stands in the reeds.\nNobody outside may know of lake ${n}.`

interface Erasure {
  erasure_id: string
  note: string
  receipt: {
    items: { media_id: string; ingest_id: string }[]
    event: { stream: string; revision: number }
    ingests: number
    digest: string
    stores: { store: string; how: string }[]
  }
}

/** Deletions that answer with a receipt: of items, of a collection, and of an account that is closed. */
export function describeReceipts(server: TestServer): void {
  describe('receipts', () => {
    let folder = ''
    const at = (name: string): string => join(folder, name)
    const idsIn = ({ receipt }: Erasure) => new Set(receipt.items.map((item) => item.media_id))
    const uploaded = async (client: TestServer['client'], n: number, fields = {}): Promise<string> =>
      (await client.upload(`lake-${n}.txt`, text(n), fields)).body.data.media_id
    const erasureOf = (id: string) => server.client.request('GET', `/v1/erasures/${id}`)

    let [alone, one, other]: string[] = []
    let collected: string[] = []
    let accountId = ''
    let plain: Erasure
    let several: Erasure
    let collection: Erasure
    // oxlint-disable-next-line typescript/no-explicit-any -- as the command line has it
    let closed: any

    // All at once: an engine may take its time until no file holds what was in them.
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'medialog-receipts-'))
      ;[alone, one, other] = await Promise.all([1, 2, 3].map((n) => uploaded(server.client, n)))
      const lakes = { collection_id: 'lakes' }
      collected = await Promise.all([11, 12, 13].map((n) => uploaded(server.client, n, lakes)))
      const closing = await server.openAccount(2)
      ;({ accountId } = closing)
      await uploaded(closing.client, 51)

      const deleted = async (receipt: string, ...args: string[]): Promise<Erasure> => {
        const { code, answer } = await server.cli(...args, '--yes', '--receipt', at(receipt))
        expect(code, JSON.stringify(answer)).toBe(0)
        return answer.erasure
      }
      async function closedAccount() {
        const files = ['--statement', at('last.csv'), '--receipt', at('closed.json')]
        return server.cli('accounts', 'close', accountId, '--yes', ...files)
      }
      async function deletedOverHttp(): Promise<Erasure> {
        const { body } = await server.client.request('DELETE', `/v1/media/${alone}?receipt=true`)
        return vi.waitFor(
          async () => {
            const found = await erasureOf(body.data.erasure.erasure_id)
            expect(found.body.data.status).toBe('erased')
            return found.body.data
          },
          { timeout: 200_000, interval: 200 },
        )
      }
      ;[plain, several, collection, closed] = await Promise.all([
        deletedOverHttp(),
        deleted('several.json', 'delete', one!, other!),
        deleted('lakes.json', 'collections', 'delete', 'lakes'),
        closedAccount(),
      ])
    })
    afterAll(() => rm(folder, { recursive: true }))

    test('of items say what is erased, and later what they said', async () => {
      expect(plain.receipt).toMatchObject({ subject: { kind: 'items' }, items: [{ media_id: alone }] })
      expect((await erasureOf(plain.erasure_id)).body.data).toEqual(plain)
      expect(idsIn(several)).toEqual(new Set([one, other]))
      const ids = several.receipt.items.map((item) => `${item.ingest_id}\n`).sort()
      expect(several.receipt).toMatchObject({ ingests: 2, digest: hash('sha256', ids.join('')) })
      expect(several.receipt.stores.map(({ store }) => store)).toEqual(expect.arrayContaining(['log']))
      const elsewhere = await (
        await server.openAccount(1)
      ).client.request('GET', `/v1/erasures/${plain.erasure_id}`)
      expect([elsewhere.status, elsewhere.body.error.code]).toEqual([404, 'RESOURCE_NOT_FOUND'])
    })

    test('of a collection name every item that was in it', () => {
      expect(collection.receipt).toMatchObject({
        subject: { kind: 'collection', collection: 'lakes' },
        ingests: 3,
      })
      expect(idsIn(collection)).toEqual(new Set(collected))
    })

    test('of a closed account come with its last statement', async () => {
      expect(closed).toMatchObject({ code: 0, answer: { payment_status: 'closed', balance: 1.96 } })
      expect(await readFile(at('last.csv'), 'utf8')).toContain('1.96')
      const audited = await server.cli('audit', 'erasure', at('closed.json'))
      expect(audited).toMatchObject({ code: 0, answer: { intact: true, found: 0 } })
      const id = closed.answer.erasure.erasure_id
      expect((await server.cli('audit', 'receipt', id, '--operator')).answer).toEqual(closed.answer.erasure)
    })

    test('are proven without Medialog, in the log, under a checkpoint; one that was changed is not', async () => {
      const { stream, revision } = several.receipt.event
      const key: string = (await server.cli('audit', 'key')).answer.key
      const subject = `${stream}@${revision}`
      expect((await server.cli('audit', 'prove', subject, '--out', at('proofs.json'))).code).toBe(0)
      expect(await verified(key, 'receipt', at('several.json'))).toMatchObject({ code: 0 })
      const proven = await verified(key, 'receipt', at('several.json'), at('proofs.json'))
      expect(proven).toMatchObject({ code: 0, said: expect.stringContaining('recorded in the log') })
      expect(await verified(key, 'receipt', at('lakes.json'), at('proofs.json'))).toMatchObject({ code: 1 })

      await writeFile(
        at('changed.json'),
        JSON.stringify({ ...several, note: several.note.replace('"ingests":2', '"ingests":1') }),
      )
      expect(await verified(key, 'receipt', at('changed.json'))).toMatchObject({ code: 1 })
      const audited = await server.cli('audit', 'erasure', at('changed.json'))
      expect(audited).toMatchObject({ code: 1, answer: { intact: false, found: 1 } })
      expect(audited.answer.signature).toContain('changed')
    })

    test('name the ingests that were erased, no more and no less', async () => {
      const signer = noteSigner(newKey())
      const key = verifierKey({ name: 'forged', publicKey: signer.publicKey })
      const saidOf = async (receipt: object) => {
        const text = `${RECEIPT_HEADER}\nforged\n${JSON.stringify(receipt)}\n`
        await writeFile(at('forged.json'), JSON.stringify({ note: signNote(text, 'forged', signer) }))
        return verified(key, 'receipt', at('forged.json'))
      }
      const { items } = several.receipt
      expect(await saidOf(several.receipt)).toMatchObject({ code: 0 })
      expect(await saidOf({ ...several.receipt, items: items.toReversed() })).toMatchObject({ code: 0 })
      for (const wrong of [
        { items: items.slice(1) },
        { items: items.slice(1), ingests: 1 },
        { items: [items[0], { ...items[1], ingest_id: collection.receipt.items[0]!.ingest_id }] },
        { digest: collection.receipt.digest },
      ])
        expect(await saidOf({ ...several.receipt, ...wrong }), JSON.stringify(wrong)).toMatchObject({
          code: 1,
          said: expect.stringContaining('its items are not the ingests that were erased'),
        })
    })

    test('show nothing but what was signed', async () => {
      const key: string = (await server.cli('audit', 'key')).answer.key
      const { receipt } = several
      const item = { ...receipt.items[0]!, media_id: alone }
      for (const change of [
        { receipt: { ...receipt, erased_at: '2020-01-01T00:00:00.000Z' } },
        { receipt: { ...receipt, items: [] } },
        { receipt: { ...receipt, items: [...receipt.items, item] } },
        { receipt: { ...receipt, witness: 'nobody' } },
        { receipt: { ...receipt, items: undefined } },
        { receipt: null },
        { ingests: 3 },
        { status: 'pending' },
        { erasure_id: plain.erasure_id },
        { requested_at: '2020-01-01T00:00:00.000Z' },
        { key: key.replace('+', 'x+') },
        { also: 'this' },
      ]) {
        await writeFile(at('shown.json'), JSON.stringify({ ...several, ...change }))
        expect(await verified(key, 'receipt', at('shown.json')), JSON.stringify(change)).toMatchObject({
          code: 1,
        })
        const audited = await server.cli('audit', 'erasure', at('shown.json'))
        expect(audited, JSON.stringify(change)).toMatchObject({
          code: 1,
          answer: { intact: false, found: 1 },
        })
      }
      await writeFile(at('shown.json'), JSON.stringify({ note: several.note }))
      expect(await verified(key, 'receipt', at('shown.json'))).toMatchObject({ code: 0 })
    })

    test('and proofs of events prove nothing that they do not show', async () => {
      const key: string = (await server.cli('audit', 'key')).answer.key
      expect((await server.cli('audit', 'prove', alone!, '--out', at('whole.json'))).code).toBe(0)
      const whole = JSON.parse(await readFile(at('whole.json'), 'utf8'))
      const proven = async (change: object) => {
        await writeFile(at('part.json'), JSON.stringify({ ...whole, ...change }))
        return verified(key, 'events', at('part.json'))
      }
      expect(await proven({})).toMatchObject({
        code: 0,
        said: expect.stringContaining('erased by MediaDeleted'),
      })
      const [claimed, ingested, deleted] = whole.proofs
      const { event } = deleted
      for (const change of [
        { proofs: [] },
        { proofs: undefined },
        { key: key.replace('+', 'x+') },
        { proofs: [claimed, ingested] },
        { proofs: [claimed, claimed, deleted] },
        { proofs: [claimed, { ...deleted, event: null }] },
        { proofs: [{ ...deleted, leaf: { ...deleted.leaf, position: deleted.leaf.position + 1 } }] },
        ...Object.keys(event).map((name) => ({
          proofs: [{ ...deleted, event: { ...event, [name]: name === 'data' ? {} : '1' } }],
        })),
        { proofs: [{ ...deleted, event: { ...event, note: 'none' } }] },
      ])
        expect(await proven(change), JSON.stringify(change)).toMatchObject({ code: 1 })
    })

    test('leave a log that is proven whole, with the checkpoints that were signed over it', async () => {
      const note = at('exported.note')
      expect((await server.cli('audit', 'checkpoint', '--out', note)).code).toBe(0)
      const id = await uploaded(server.client, 61)
      const proofs = (await server.cli('audit', 'prove', id)).answer.proofs
      expect(proofs).toMatchObject([{ leaf: { revision: 0 } }, { event: { type: 'MediaIngested' } }])
      const gone = (await server.cli('audit', 'prove', alone!)).answer.proofs
      expect(gone).toMatchObject([{ event: null }, { event: null }, { event: { type: 'MediaDeleted' } }])
      const { code, answer } = await server.cli('audit', 'verify', '--checkpoint', note)
      expect(code, JSON.stringify(answer)).toBe(0)
      expect(answer.result).toMatchObject({ intact: true, found: 0 })
      expect(answer.result.erased).toBeGreaterThan(0)
      expect(answer.result.checkpoints).toBeGreaterThan(1)
    })
  })
}
