import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { medialog } from '../harness/cli.ts'
import { useServer } from '../harness/suite.ts'

const SCRIPT = new URL('../../../docs/verify-checkpoint.mjs', import.meta.url).pathname

const server = useServer()
/** Outside the data folder, which is scanned. */
let folder = ''
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'medialog-receipts-'))))
afterAll(() => rm(folder, { recursive: true }))

const text = (n: number): string =>
  `The heron of lake ${n} stands in the reeds.\nNobody outside may know of lake ${n}.`
const at = (name: string): string => join(folder, name)

async function upload(n: number, fields: Record<string, string> = {}): Promise<string> {
  return (await server.client.upload(`lake-${n}.txt`, text(n), fields)).body.data.media_id
}

/** As somebody at the machine: with the data folder, and so with its key and token. */
const run = (...args: string[]) => medialog(server.running, '--data-dir', server.folder, ...args)

const script = (...args: string[]): Promise<{ code: number; said: string }> =>
  new Promise((resolve) =>
    execFile(process.execPath, [SCRIPT, ...args], (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), said: stdout + stderr }),
    ),
  )

/** Deletes with a receipt in that file. */
async function deleted(name: string, ...ids: string[]) {
  const { code, answer } = await run('delete', ...ids, '--yes', '--receipt', at(name))
  expect(code).toBe(0)
  return answer.erasure
}

test('a deletion answers with a receipt of what is erased, and says later what it said', async () => {
  const [alone, one, other] = [await upload(1), await upload(2), await upload(3)]
  const plain = await server.client.request('DELETE', `/v1/media/${alone}?receipt=true`)
  const { erasure } = plain.body.data
  const erased = await vi.waitFor(
    async () => {
      const { body } = await server.client.request('GET', `/v1/erasures/${erasure.erasure_id}`)
      expect(body.data.status).toBe('erased')
      return body.data
    },
    { timeout: 60_000 },
  )
  expect(erased.receipt).toMatchObject({ subject: { kind: 'items' }, items: [{ media_id: alone }] })
  const again = await server.client.request('GET', `/v1/erasures/${erasure.erasure_id}`)
  expect(again.body.data).toEqual(erased)

  const several = await deleted('several.json', one, other)
  expect(several.receipt.items.map(({ media_id: id }: { media_id: string }) => id).toSorted()).toEqual(
    [one, other].toSorted(),
  )
  const elsewhere = await (
    await server.openAccount(1)
  ).client.request('GET', `/v1/erasures/${erasure.erasure_id}`)
  expect([elsewhere.status, elsewhere.body.error.code]).toEqual([404, 'RESOURCE_NOT_FOUND'])
})

test('a collection has one with every item that was in it', async () => {
  const ids = await Promise.all([11, 12, 13].map((n) => upload(n, { collection_id: 'lakes' })))
  const { code, answer } = await run('collections', 'delete', 'lakes', '--yes', '--receipt', at('lakes.json'))
  expect(code).toBe(0)
  const { receipt } = answer.erasure
  expect(receipt).toMatchObject({ subject: { kind: 'collection', collection: 'lakes' }, ingests: 3 })
  expect(receipt.items.map(({ media_id: id }: { media_id: string }) => id).toSorted()).toEqual(ids.toSorted())
})

test('an erasure that was asked for is carried out by the next server', async () => {
  const ids = await Promise.all([21, 22].map((n) => upload(n, { collection_id: 'killed' })))
  const asked = server.client.request('DELETE', '/v1/media/collections/killed?receipt=true').catch(() => null)
  await server.killAndRestart()
  await asked
  const path = '/v1/media/collections/killed?receipt=true'
  // Whenever it died: the collection is gone by now, or is deleted by this one.
  await server.client.request('DELETE', path)
  for (const id of ids)
    await vi.waitFor(
      async () => expect((await server.client.request('GET', `/v1/media/${id}`)).status).toBe(404),
      {
        timeout: 60_000,
      },
    )
})

test('an auditor finds nothing of it, and everything that is put back', async () => {
  const id = await upload(31)
  const { receipt } = await deleted('audited.json', id)
  const [item] = receipt.items
  await writeFile(at('content.txt'), text(31))
  const content = ['--file', at('content.txt')]
  const online = await run('audit', 'erasure', at('audited.json'), ...content)
  expect(online).toMatchObject({ code: 0, answer: { intact: true, signature: 'good', found: 0 } })
  expect(online.answer.stores).not.toEqual([])
  const offline = await run('audit', 'erasure', at('audited.json'), '--offline', ...content)
  expect(offline).toMatchObject({ code: 0, answer: { intact: true, signature: 'good', stores: null } })
  expect(offline.answer.folder.lawful).not.toEqual([])

  const planted = join(server.folder, 'staging', 'planted')
  for (const [what, bytes] of [
    ['piece', `… ${text(31).slice(0, 40)} …`],
    ['id', item.ingest_id],
    ['digest', item.sha256],
  ]) {
    await writeFile(planted, bytes)
    const found = await run('audit', 'erasure', at('audited.json'), '--offline', ...content)
    expect(found).toMatchObject({ code: 1, answer: { intact: false, traces: [{ store: 'staging' }] } })
    expect(found.answer.traces[0].what).toContain(what)
  }
  // The very file that was uploaded, under any name.
  await writeFile(planted, text(31))
  const same = await run('audit', 'erasure', at('audited.json'), '--offline')
  expect(same.answer.traces[0].what).toContain(item.sha256)
  await rm(planted)
})

test('a receipt is proven without Medialog, and one that was changed is not', async () => {
  const erasure = await deleted('proven.json', await upload(41))
  const { stream, revision } = erasure.receipt.event
  const key = (await run('audit', 'key')).answer.key
  expect((await run('audit', 'prove', `${stream}@${revision}`, '--out', at('proofs.json'))).code).toBe(0)
  expect(await script(key, 'receipt', at('proven.json'))).toMatchObject({ code: 0 })
  const proven = await script(key, 'receipt', at('proven.json'), at('proofs.json'))
  expect(proven).toMatchObject({ code: 0, said: expect.stringContaining('recorded in the log') })
  expect(await script(key, 'receipt', at('several.json'), at('proofs.json'))).toMatchObject({ code: 1 })

  const changed = { ...erasure, note: erasure.note.replace('"ingests":1', '"ingests":2') }
  await writeFile(at('changed.json'), JSON.stringify(changed))
  expect(await script(key, 'receipt', at('changed.json'))).toMatchObject({ code: 1 })
  const audited = await run('audit', 'erasure', at('changed.json'))
  expect(audited).toMatchObject({ code: 1, answer: { intact: false, found: 1 } })
  expect(audited.answer.signature).toContain('changed')
  expect(JSON.parse(await readFile(at('proven.json'), 'utf8'))).toEqual(erasure)
})

test('the last statement and the receipt of a closed account are handed out', async () => {
  const { accountId, client } = await server.openAccount(2)
  await client.upload('lake-51.txt', text(51))
  const files = ['--statement', at('last.csv'), '--receipt', at('closed.json')]
  const closed = await run('accounts', 'close', accountId, '--yes', ...files)
  expect(closed).toMatchObject({ code: 0, answer: { payment_status: 'closed', balance: 1.96 } })
  expect(await readFile(at('last.csv'), 'utf8')).toContain('1.96')
  const audited = await run('audit', 'erasure', at('closed.json'), '--text', text(51))
  expect(audited).toMatchObject({ code: 0, answer: { intact: true, found: 0 } })
  const id = closed.answer.erasure.erasure_id
  expect((await run('audit', 'receipt', id, '--operator')).answer).toEqual(closed.answer.erasure)
})
