import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteEventStore, openSqliteLeaves, type ChainedEventStore } from '@medialog/event-store'
import type { RecordedEvent } from '@medialog/kernel'
import { accessStore, documentsDefinition, openDatabaseStore } from '@medialog/read-model'
import { newId } from '@medialog/application'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { UnusableDataFolder } from './data-folder.ts'
import type { Config } from '../config.ts'
import { foldersIn } from './folders.ts'
import { requireFittingLeaves, requireFittingLog } from './log-fits.ts'
import { openStorage } from './storage.ts'

let dataFolder: string
let log: ChainedEventStore
beforeEach(async () => {
  dataFolder = mkdtempSync(join(tmpdir(), 'medialog-server-'))
  log = await openSqliteEventStore({ path: foldersIn(dataFolder).log })
})
afterEach(async () => {
  await log.close()
  rmSync(dataFolder, { recursive: true })
})

async function append(count: number): Promise<RecordedEvent[]> {
  const metadata = { timestamp: '2026-11-20T13:00:00.000Z', actor: 'test' }
  const events = Array.from({ length: count }, () => ({
    id: newId(),
    type: 'Told',
    version: 1,
    data: {},
    metadata,
  }))
  return (await log.append('media-a', 'no-stream', events)).events
}

/** A read model that stands there. */
async function standsAt(position: number, hash: string | null): Promise<void> {
  const store = openDatabaseStore({
    folder: foldersIn(dataFolder).readModels,
    definition: documentsDefinition(accessStore),
  })
  const writer = await store.open()
  await writer.applyBatch([], position, hash)
  await writer.close()
}

const expectFit = async (elsewhere?: Parameters<typeof requireFittingLog>[3]): Promise<void> => {
  const storage = await openStorage(
    { dataFolder, bucket: null, sharedFolder: null, reservedBytes: 0 },
    false,
    () => undefined,
  )
  await requireFittingLog(log, { dataFolder, eventStoreDb: null }, storage, elsewhere)
}

const expectRefusal = async (why: string | RegExp): Promise<void> => {
  const checked = expectFit()
  await expect(checked).rejects.toBeInstanceOf(UnusableDataFolder)
  await expect(checked).rejects.toThrow(why)
}

test('a new folder fits, and read models that stand at or before the end of their log', async () => {
  await expectFit()
  const events = await append(5)
  for (const { position, hash } of events) {
    await standsAt(position, hash)
    await expectFit()
  }
})

test('an erased event is not held against the read model', async () => {
  const events = await append(5)
  await standsAt(3, events[2]!.hash)
  await log.truncate('media-a', 4)
  await expectFit()
})

test('a log that ends before the read model is said with what to do', async () => {
  await append(5)
  await standsAt(9, 'a'.repeat(64))
  await expectRefusal(
    'ends at position 5, but the read model store access was made from one that goes up to 9',
  )
  await expectRefusal(`restore ${foldersIn(dataFolder).log} from a backup`)
  await expectRefusal(`if this log is the right one, delete the folder ${foldersIn(dataFolder).readModels}`)
  rmSync(foldersIn(dataFolder).readModels, { recursive: true })
  await expectFit()
})

test('another log of the same length is told by the hash where the read model stands', async () => {
  await append(5)
  await standsAt(3, 'a'.repeat(64))
  await expectRefusal(
    'holds another event at position 3 than the one that the read model store access was made from',
  )
})

test('a read model that is elsewhere is compared alike, and named', async () => {
  const events = await append(5)
  await expectFit([{ name: 'catalog', position: 5, hash: events[4]!.hash }])
  const checked = expectFit([{ name: 'catalog', position: 9, hash: null }])
  await expect(checked).rejects.toThrow(
    'ends at position 5, but the read model store catalog was made from one',
  )
  await expect(checked).rejects.toThrow('delete the indices of the read models in Elasticsearch')
})

test('an empty log beside read models, the note of an account or artifacts is one that was lost', async () => {
  await standsAt(9, null)
  await expectRefusal(
    'the event log is empty, but the read model store access was made from one that goes up to 9',
  )
  rmSync(foldersIn(dataFolder).readModels, { recursive: true })
  const note = join(dataFolder, 'secrets', 'first-account')
  mkdirSync(join(dataFolder, 'secrets'))
  writeFileSync(join(dataFolder, 'secrets', 'operator-token'), 'made before the first event')
  await expectFit()
  writeFileSync(note, newId())
  await expectRefusal(
    `the event log is empty, but there is the note of an account (${note}) of an earlier one`,
  )
  rmSync(note)
  await expectFit()
  const { artifacts } = await openStorage(
    { dataFolder, bucket: null, sharedFolder: null, reservedBytes: 0 },
    false,
    () => undefined,
  )
  const ingest = { accountId: newId(), mediaId: newId(), ingestId: newId() }
  await artifacts.put(ingest, 'text.txt', Buffer.from('x'))
  await expectRefusal('the event log is empty, but there is what was stored')
})

test('a log that is older than its leaves, or another one, is said with what to do', async () => {
  const events = await append(5)
  const leaves = openSqliteLeaves(foldersIn(dataFolder).leaves)
  const alone = { dataFolder, eventStoreDb: null, roles: null, elasticsearch: null }
  const leavesFit = (place: Parameters<typeof requireFittingLeaves>[1] = alone) =>
    requireFittingLeaves(log, place, leaves)
  await leavesFit()
  await leaves.append(0, events.slice(0, 3), [])
  await leavesFit()
  const other = { ...events[3]!, hash: 'a'.repeat(64) }
  await leaves.append(3, [other], [])
  await expect(leavesFit()).rejects.toThrow(
    'holds another event at position 4 than the one that its leaves were made from',
  )
  await leaves.append(4, [{ ...other, position: 9 }], [])
  await expect(leavesFit()).rejects.toThrow(
    'ends at position 5, but its leaves were made from one that goes up to 9',
  )
  const elasticsearch = { url: 'http://127.0.0.1:9200', prefix: 'here-' } as Config['elasticsearch']
  await expect(leavesFit({ ...alone, roles: ['projections'], elasticsearch })).rejects.toThrow(
    'delete the index here-leaves: it is made again',
  )
  await expect(leavesFit()).rejects.toThrow(`and ${foldersIn(dataFolder).leaves} from the same backup`)
  await leaves.close()
})
