import { expect, test, vi } from 'vitest'
import { endedBatch } from '../harness/batches.ts'
import { expectStatus } from '../harness/expect-status.ts'
import { serveOnEventStoreDb } from '../harness/on-eventstoredb.ts'

/**
 * How often requests call the log. Each call is a round trip, one after the other: these figures are what a request on
 * EventStoreDB costs, and a change that makes one grow must say why.
 */
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

const { log, account } = await serveOnEventStoreDb()

/**
 * The calls that the work makes, each with its number; `$$` before the name is a stream's metadata. The fewest of some tries:
 * what is known of a stream is known for a second, and a busy machine may take longer.
 */
async function callsOf(work: () => Promise<unknown>, tries = 5): Promise<Record<string, number>> {
  const { calls } = log.faults
  const counted: Record<string, number>[] = []
  for (let n = 0; n < tries; n++) {
    const from = calls.length
    await work()
    const counts: Record<string, number> = {}
    for (const call of calls.slice(from)) {
      const name = call.replace('medialog.', '').replace(/-[0-9a-f-]{36}$/, '')
      counts[name] = (counts[name] ?? 0) + 1
    }
    counted.push(counts)
  }
  return counted.reduce((fewest, counts) => (total(counts) < total(fewest) ? counts : fewest))
}
const total = (counts: Record<string, number>): number => Object.values(counts).reduce((sum, n) => sum + n, 0)

let made = 0
const nextFile = () => ({
  filename: `${++made}.txt`,
  bytes: `File number ${made} of those that are counted.`,
})
async function upload(headers: Record<string, string> = {}): Promise<void> {
  const { filename, bytes } = nextFile()
  expectStatus(await account().upload(filename, bytes, {}, headers), 200)
}
async function batch(files: number): Promise<void> {
  const { body } = await account().batch(Array.from({ length: files }, nextFile))
  await endedBatch(account(), body.data.batch_id)
}

test('an upload of a new file', async () => {
  await upload()
  expect(await callsOf(() => upload())).toEqual({
    'append ledger': 2,
    'append media': 2,
    'read $$library': 1,
    'read $$media': 1,
    'read library': 1,
    'read media': 3,
  })
})

test('an upload with an Idempotency-Key', async () => {
  expect(total(await callsOf(() => upload({ 'idempotency-key': `key-${made}` })))).toBe(15)
})

test('a batch, and each of its files', async () => {
  await batch(1)
  const [one, many] = [total(await callsOf(() => batch(1))), total(await callsOf(() => batch(21), 3))]
  expect(one).toBeLessThanOrEqual(24)
  // Polling its results is counted too.
  expect((many - one) / 20).toBeLessThanOrEqual(12)
})

test('a search and a read of an item', async () => {
  const query = { json: { query: 'a file that is counted' } }
  expect(await callsOf(() => account().request('POST', '/v1/search', query))).toEqual({})
  const { body } = await account().request('GET', '/v1/media')
  const [{ media_id: id }] = body.data.items
  expect(await callsOf(() => account().request('GET', `/v1/media/${id}`))).toEqual({})
})
