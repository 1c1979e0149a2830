import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { batchWhere, endedBatch, expectWholeBatch, nano, statusesOf } from '../harness/batches.ts'
import { useServer } from '../harness/suite.ts'

const FIXTURES = new URL('../../fixtures/', import.meta.url).pathname
const server = useServer()

const MIXED = [
  'documents/sample.pdf',
  'images/sample.png',
  'audio/sample.mp3',
  '3d/sample.glb',
  'documents/sample.docx',
  'hostile/encrypted_user.pdf',
  'spreadsheet/sample.csv',
  'data/sample.json',
  'data/sample.html',
  'images/sample.jpg',
  'documents/sample.md',
  'documents/sample.txt',
  '3d/sample.obj',
  'audio/sample.wav',
  'images/sample_gray.jpg',
  'documents/sample_scanned.pdf',
]

async function mixedFiles() {
  const read = await Promise.all(
    MIXED.map(async (path) => ({ filename: path.split('/')[1]!, bytes: await readFile(FIXTURES + path) })),
  )
  const broken = { filename: 'broken.pdf', bytes: read[0]!.bytes.subarray(0, 2_000) }
  const duplicate = { filename: 'duplicate.png', bytes: read[1]!.bytes }
  return [...read, broken, duplicate, ...notes('mixed', 7)]
}

const notes = (kind: string, count: number) =>
  Array.from({ length: count }, (_, n) => ({
    filename: `${kind}-${n}.txt`,
    bytes: `${kind} note ${n}: what the harbour master of Húsavík wrote down that day.`,
  }))

const namesOf = (files: readonly { filename: string }[]): string[] => files.map(({ filename }) => filename)

test('25 files of mixed kinds, and a batch cancelled half-way, killed twice: nothing lost, doubled or left', async () => {
  const opened = nano((await server.client.request('GET', '/v1/usage')).body.data.account_info.balance)
  const [mixed, others] = [await mixedFiles(), notes('other', 25)]
  expect(mixed).toHaveLength(25)
  const created = [await server.client.batch(mixed), await server.client.batch(others)]
  expect(created.map(({ status }) => status)).toEqual([200, 200])
  const [mixedId, otherId] = created.map(({ body }) => body.data.batch_id as string) as [string, string]

  await batchWhere(server.client, mixedId, ({ progress }) => progress.successful >= 2)
  await server.killAndRestart()

  await batchWhere(server.client, otherId, ({ progress }) => progress.successful >= 8)
  const cancelled = await server.client.request('PUT', `/v1/batches/${otherId}/state`)
  expect(cancelled.body.data).toMatchObject({ previous_state: 'running', current_state: 'cancelled' })
  await batchWhere(server.client, mixedId, ({ progress }) => progress.successful >= 4)
  await server.killAndRestart()

  const ended = await endedBatch(server.client, mixedId)
  expectWholeBatch(ended, namesOf(mixed))
  expect(ended.batch.status).toBe('completed')
  const outcomes = statusesOf(ended.results)
  const expected = mixed.map(({ filename }) => {
    if (filename === 'duplicate.png') return 'processed'
    return ['encrypted_user.pdf', 'broken.pdf'].includes(filename) ? 'corrupted_file' : 'succeeded'
  })
  expect(outcomes).toEqual(expected)

  const stopped = await endedBatch(server.client, otherId)
  expectWholeBatch(stopped, namesOf(others))
  expect(stopped.batch.status).toBe('cancelled')
  const { successful, failed } = stopped.batch.progress
  expect(successful).toBeGreaterThanOrEqual(8)
  expect([failed, successful + failed]).toEqual([25 - successful, 25])

  const usage = (await server.client.request('GET', '/v1/usage?detailed=true')).body.data
  expect(nano(usage.account_info.balance)).toBe(opened - (22 + successful) * nano(0.04))
  const { total_items: items } = (await server.client.request('GET', '/v1/media')).body.data.pagination
  expect(items).toBe(22 + successful)
  expect(await readdir(join(server.folder, 'staging'))).toEqual([])
}, 180_000)
