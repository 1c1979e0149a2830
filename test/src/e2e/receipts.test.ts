import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { useServer } from '../harness/suite.ts'
import { describeReceipts } from './suites/receipts.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 })

const server = useServer()
describeReceipts(server)

/** Outside the data folder, which is scanned. */
let folder = ''
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'medialog-receipts-'))))
afterAll(() => rm(folder, { recursive: true }))
const at = (name: string): string => join(folder, name)

test('an auditor finds nothing of it in any byte, and everything that is put back', async () => {
  const content = 'The bittern of the far marsh booms.\nNobody outside may know of the marsh.'
  const { body } = await server.client.upload('marsh.txt', content)
  const receipt = ['--receipt', at('audited.json')]
  const deleted = await server.cli('delete', body.data.media_id, '--yes', ...receipt)
  const [item] = deleted.answer.erasure.receipt.items
  await writeFile(at('content.txt'), content)
  const file = ['--file', at('content.txt')]
  const online = await server.cli('audit', 'erasure', at('audited.json'), ...file)
  expect(online).toMatchObject({ code: 0, answer: { intact: true, signature: 'good', found: 0 } })
  expect(online.answer.stores).not.toEqual([])
  const offline = await server.cli('audit', 'erasure', at('audited.json'), '--offline', ...file)
  expect(offline).toMatchObject({ code: 0, answer: { intact: true, signature: 'good', stores: null } })
  expect(offline.answer.folder.lawful).not.toEqual([])

  const planted = join(server.folder, 'staging', 'planted')
  for (const [what, bytes] of [
    ['piece', `… ${content.slice(0, 40)} …`],
    ['id', item.ingest_id],
    ['digest', item.sha256],
  ]) {
    await writeFile(planted, bytes)
    const found = await server.cli('audit', 'erasure', at('audited.json'), '--offline', ...file)
    expect(found).toMatchObject({ code: 1, answer: { intact: false, traces: [{ store: 'staging' }] } })
    expect(found.answer.traces[0].what).toContain(what)
  }
  // The very file that was uploaded, under any name.
  await writeFile(planted, content)
  const same = await server.cli('audit', 'erasure', at('audited.json'), '--offline')
  expect(same.answer.traces[0].what).toContain(item.sha256)
  await rm(planted)
})
