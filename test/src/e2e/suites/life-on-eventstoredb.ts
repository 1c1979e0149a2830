import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEventStoreDbReader } from '@medialog/event-store/eventstoredb/store'
import type { StreamName } from '@medialog/kernel'
import { expect, test, vi } from 'vitest'
import { expectBooksToBalance } from '../../faults/killable.ts'
import { nano } from '../../harness/batches.ts'
import type { Client } from '../../harness/client.ts'
import { expectStatus } from '../../harness/expect-status.ts'
import type { Served } from '../../harness/on-eventstoredb.ts'
import { operated } from '../../harness/operations.ts'
import { verified, verifiedInPython } from '../../harness/third-party.ts'

const ITEM = 0.04
const LONG = { timeout: 120_000, interval: 200 }

/** One life of two items on a log of EventStoreDB, whichever serves it. `onEnd`: what was paid beside what is left, and the erasure of the other item. */
export function lifeOnEventStoreDb(
  { account, operator, filenames, prefix, url, tls }: Served,
  onEnd: (others: number, erasureId: string) => void = () => undefined,
): void {
  test('uploads, searches, deletions and the bill are as on the embedded log, and the log is proven', async () => {
    const kept = await account().upload('kept.txt', 'The ferry to Grímsey leaves in the morning.')
    const gone = await account().upload('gone.txt', 'A recipe for rye bread with caraway seeds.')
    expect([kept.status, gone.status]).toEqual([200, 200])
    const json = { query: 'when does the ferry leave', type: 'advanced' }
    const found = await account().request('POST', '/v1/search', { json })
    expectStatus(found, 200)
    expect(found.body.data.results[0].media_id).toBe(kept.body.data.media_id)
    const path = `/v1/media/${gone.body.data.media_id}`
    const deleted = await account().request('DELETE', `${path}?receipt=true`)
    expectStatus(deleted, 200)
    expect(await filenames()).toEqual(['kept.txt'])
    const others = nano(ITEM) + nano(found.body.data.cost)
    const erasureId: string = deleted.body.data.erasure.erasure_id
    onEnd(others, erasureId)
    await expectBooksToBalance(account(), others)
    const { body: ledger } = await account().request('GET', '/v1/audit/ledger')
    expect(ledger.data).toMatchObject({ proof: { holds: true }, pagination: { total_items: 5 } })
    await expectOwnProof(account())
    const reader = openEventStoreDbReader({ url, prefix, tls })
    const stream: StreamName = `media-${gone.body.data.media_id.slice(4)}`
    const left = async () => {
      const types: string[] = []
      for await (const { type } of reader.read(stream)) types.push(type)
      return types
    }
    await vi.waitFor(async () => expect(await left()).toEqual(['MediaDeleted']), LONG)
    await reader.close()
    // Its bytes are in the server's files until these are scavenged, which the audit reports.
    const audited = await operated(operator(), { kind: 'audit-erasure', erasure_id: erasureId })
    expect(audited).toMatchObject({ result: { intact: true, log_retains: 2, complete: false } })
    expect(await operated(operator(), { kind: 'log-verify' })).toMatchObject({ result: { intact: true } })
    const rebuilt = await operated(operator(), { kind: 'projections-rebuild', name: 'catalog' })
    expect(rebuilt).toMatchObject({ status: 'succeeded', result: { identical: true } })
    expect(await operated(operator(), { kind: 'log-scavenge' })).toMatchObject({
      status: 'succeeded',
      result: { complete: true, places: [{ outcome: 'done' }] },
    })
    expect(await operated(operator(), { kind: 'log-verify' })).toMatchObject({ result: { intact: true } })
  })
}

/** The account's ledger is proven by what it downloads, as others read the format of the log. */
async function expectOwnProof(account: Client): Promise<void> {
  const { body: keys } = await account.request('GET', '/checkpoint-key')
  const { body: proof } = await account.request('GET', '/v1/audit/ledger/proof')
  const folder = await mkdtemp(join(tmpdir(), 'medialog-proof-'))
  const path = join(folder, 'ledger.ndjson')
  await writeFile(path, proof)
  const said = await verified(keys.data.key, 'ledger', path)
  expect(said, said.said).toMatchObject({ code: 0 })
  expect((await verifiedInPython(keys.data.key, 'ledger', path)) ?? said).toEqual(said)
  await rm(folder, { recursive: true })
}
