import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { medialog } from '../harness/cli.ts'
import { temporaryDataFolder } from '../harness/server.ts'
import { useServer } from '../harness/suite.ts'
import { verified } from '../harness/third-party.ts'
import { expectStatus } from '../harness/expect-status.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

const server = useServer()
const audit = (...args: string[]) => medialog(server.running, 'audit', ...args)
let exports: Awaited<ReturnType<typeof temporaryDataFolder>>
beforeAll(async () => {
  exports = await temporaryDataFolder()
})
afterAll(() => exports.remove())
const file = (name: string) => join(exports.path, name)

test('what is exported proves later, without the service, what was recorded', async () => {
  const { body } = await server.client.upload('kept.txt', 'The ferry to Grímsey leaves in the morning.')
  const id: string = body.data.media_id
  const [old, later] = [file('old.note'), file('later.note')]
  const [proofs, proof] = [file('proofs.json'), file('proof.json')]
  const first = await audit('checkpoint', '--out', old)
  expect(first).toMatchObject({ code: 0, answer: { note: await readFile(old, 'utf8') } })
  // Nothing came since but the event that tells of it.
  expect((await audit('checkpoint')).answer).toEqual(first.answer)
  const key: string = (await audit('key')).answer.key
  expect(key).toBe(first.answer.key)
  await server.client.upload('more.txt', 'A recipe for rye bread with caraway seeds.')
  expect((await audit('prove', id, '--out', proofs)).answer.proofs).toMatchObject([
    { leaf: { revision: 0 }, event: { type: 'IngestClaimed' } },
    { leaf: { revision: 1 }, event: { type: 'MediaIngested' } },
  ])
  expect((await audit('consistency', old, '--out', proof)).code).toBe(0)
  await audit('checkpoint', '--out', later)

  expect(await verified(key, 'checkpoint', old)).toMatchObject({ code: 0 })
  expect(await verified(key, 'events', proofs)).toMatchObject({
    code: 0,
    said: expect.stringContaining('MediaIngested, recorded as it stands'),
  })
  expect(await verified(key, 'consistency', proof, old, later)).toMatchObject({ code: 0 })

  // Whatever is changed in what was exported is not proven.
  const changed = file('changed')
  const refuses = async (what: string, text: string, ...more: string[]) => {
    await writeFile(changed, text)
    expect((await verified(key, what, changed, ...more)).code).toBe(1)
  }
  const note = await readFile(old, 'utf8')
  await refuses('checkpoint', note.replace(/\n(\d+)\n/, '\n1$1\n'))
  const told = await readFile(proofs, 'utf8')
  await refuses('events', told.replace('"kept.txt"', '"lost.txt"'))
  await refuses('events', told.replace('"index": ', '"index": 1'))
  await refuses('events', told, await renamed(old))
  const consistent = JSON.parse(await readFile(proof, 'utf8'))
  await refuses('consistency', JSON.stringify({ ...consistent, hashes: consistent.hashes.slice(1) }))
  await refuses('consistency', JSON.stringify({ ...consistent, old: consistent.new, new: consistent.old }))
})

/** A checkpoint of another log. */
async function renamed(path: string): Promise<string> {
  const other = file('other.note')
  await writeFile(other, (await readFile(path, 'utf8')).replace(/^medialog/, 'somebody'))
  return other
}

test('the log is proven whole after deletions; what somebody does to it is named; a cut tail by the exported checkpoint', async () => {
  await audit('checkpoint')
  await server.client.upload('stays.txt', 'Of this one somebody will say that it was another.')
  const { body } = await server.client.upload('gone.txt', 'This one is deleted again.')
  expectStatus(await server.client.request('DELETE', `/v1/media/${body.data.media_id}`), 200)
  const log = join(server.running.dataFolder, 'log', 'events.sqlite')
  const query = (sql: string, path = log) => {
    const database = new DatabaseSync(path, { timeout: 20_000 })
    try {
      return database.prepare(sql).all()
    } finally {
      database.close()
    }
  }
  await vi.waitFor(() => expect(query("SELECT 1 FROM events WHERE typeof(event) = 'blob'")).toHaveLength(2), {
    timeout: 60_000,
    interval: 200,
  })
  const good = await audit('verify')
  expect(good).toMatchObject({ code: 0, answer: { result: { intact: true, erased: 2, found: 0 } } })
  expect(good.answer.result.checkpoints).toBeGreaterThan(0)
  const proofs = (await audit('prove', body.data.media_id)).answer.proofs
  expect(proofs).toMatchObject([{ event: null }, { event: null }, { event: { type: 'MediaDeleted' } }])

  await audit('checkpoint', '--out', file('exported.note'))
  query(
    `UPDATE events SET event = replace(event, '"stays.txt"', '"other.txt"') WHERE event LIKE '%"stays.txt"%'`,
  )
  const changed = await audit('verify')
  expect(changed).toMatchObject({ code: 1, answer: { result: { intact: false, found: 1 } } })
  expect(changed.answer.result.findings).toMatchObject([
    { what: 'changed', revision: 1, reason: 'the payload is not the one recorded' },
  ])
  // The end of the log, every checkpoint in it, and their leaves: nothing in the data folder tells of it any more.
  const leaves = join(server.running.dataFolder, 'audit', 'leaves.sqlite')
  const first = query(
    "SELECT min(position) AS position FROM events JOIN streams USING (stream) WHERE name LIKE 'checkpoints-%'",
  )
  const from = Number(first[0]!.position)
  query(`DELETE FROM leaves WHERE position >= ${from}`, leaves)
  query(`DELETE FROM events WHERE position >= ${from}`)
  expect((await audit('verify')).answer.result.findings).toEqual([])
  const cut = await audit('verify', '--checkpoint', file('exported.note'))
  expect(cut).toMatchObject({ code: 1, answer: { result: { findings: [{ what: 'cut' }] } } })
  const foreign = await audit('verify', '--checkpoint', file('other.note'))
  expect([foreign.code, foreign.answer.error]).toEqual([
    1,
    expect.stringContaining('no signature of a known key'),
  ])
})
