import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeEvent } from '@medialog/contract'
import type { BatchEvent, BatchJob, FilesEvent, MediaEvent } from '@medialog/domain'
import { openSqliteEventStore } from '@medialog/event-store'
import { systemClock, type Uuid } from '@medialog/kernel'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newId } from '../core/ids.ts'
import { createStreams, streamName } from '../event-sourcing/streams.ts'
import { fileNamesOf } from '../library/file-names.ts'
import { eraseFileNames, jobsOfDeleted } from './file-names.ts'

const [accountId, batchId, mediaId, other] = [newId(), newId(), newId(), newId()]
const SHA256 = '0'.repeat(64)
let folder: string
let eventStore: Awaited<ReturnType<typeof openSqliteEventStore>>
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'medialog-file-names-'))
  eventStore = await openSqliteEventStore({ path: join(folder, 'events.sqlite') })
})
afterEach(async () => {
  await eventStore.close()
  await rm(folder, { recursive: true })
})

const revisions = new Map<string, number>()
beforeEach(() => revisions.clear())
async function record(
  category: 'batch' | 'files' | 'media',
  id: Uuid,
  ...events: (BatchEvent | FilesEvent | MediaEvent)[]
): Promise<number> {
  const stream = streamName(category, id)
  for (const event of events) {
    const next = revisions.get(stream) ?? 0
    const metadata = { actor: 'test', accountId, timestamp: new Date(0).toISOString() }
    await eventStore.append(stream, next === 0 ? 'no-stream' : next - 1, [
      { id: newId(), ...encodeEvent(event), metadata },
    ])
    revisions.set(stream, next + 1)
  }
  return revisions.get(stream)! - 1
}

const job = (filename: string, of = mediaId, duplicate = false): BatchJob => ({
  jobId: newId(),
  mediaId: of,
  stagedId: newId(),
  filename,
  mediaType: 'document',
  sizeBytes: 1,
  sha256: SHA256,
  duplicate,
})
const submitted = (...jobs: BatchJob[]): BatchEvent => ({
  type: 'BatchSubmitted',
  accountId,
  batchId,
  name: null,
  collection: null,
  overwrite: false,
  price: [],
  jobs,
  at: 1,
})
const deleted: MediaEvent = {
  type: 'MediaDeleted',
  accountId,
  ingestId: newId(),
  cause: 'requested',
  reason: null,
  lives: [],
  at: 2,
}
const skipped = ({ jobId }: BatchJob): BatchEvent => ({ type: 'JobSkipped', jobId, mediaId, at: 2 })
const names = async () => [...(await fileNamesOf(eventStore, batchId)).values()]
const erase = async (jobIds: Uuid[] | null) =>
  eraseFileNames(
    { eventStore, streams: createStreams(eventStore, systemClock), clock: systemClock },
    accountId,
    batchId,
    jobIds,
  )

test('names that an earlier release wrote into the batch are shown until they are erased', async () => {
  const [one, two] = [job('one.txt'), job('two.txt', other)]
  await record('batch', batchId, submitted(one, two))
  expect(await names()).toEqual(['one.txt', 'two.txt'])
  await erase([one.jobId])
  expect(await names()).toEqual(['two.txt'])
  expect((await erase([one.jobId]))!.revision).toBe(1)
  await erase(null)
  expect(await names()).toEqual([])
})

test('of a batch that named no file nothing is erased', async () => {
  expect(await erase(null)).toBeNull()
  await record('batch', batchId, submitted(job('')))
  expect(await erase(null)).toBeNull()
  expect(await eventStore.head()).toBe(1)
})

test('a job that ended after the deletion is of another item of the same content, unless it stored the deleted one', async () => {
  const [duplicate, early, late] = [job('', mediaId, true), job(''), job('')]
  await record('batch', batchId, submitted(duplicate, early, late, job('', other, true)), skipped(early))
  const revision = await record('media', mediaId, deleted)
  await record('batch', batchId, skipped(late))
  const found = await jobsOfDeleted(eventStore, { mediaId, revision }, [batchId, other])
  expect([...found]).toEqual([[batchId, [duplicate.jobId, early.jobId]]])
})
