import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createStreams, isDeletedBy, SYSTEM, type CommandOf } from '@medialog/application'
import { startEventStoreDbDouble } from '@medialog/event-store/testing/eventstoredb/double'
import type { Clock } from '@medialog/kernel'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { openEventLog } from '../embedded/event-log.ts'
import { exportErasures, readErasures } from './erasure-list.ts'

let root: string
let now: number
const clock: Clock = { now: () => now++ }
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'medialog-erasures-'))
  now = Date.UTC(2026, 10, 22)
})
afterEach(() => rmSync(root, { recursive: true }))

const unheard = () => undefined
const silent = pino({ level: 'silent' })
const list = () => join(root, 'list.json')

test('the list has every item that is gone, also of its collection, from a log on a server too', async () => {
  await using server = await startEventStoreDbDouble()
  const place = readConfig({ MEDIALOG_DATA_DIR: root, EVENTSTOREDB_URL: server.url })
  const log = await openEventLog(place, silent)
  const streams = createStreams(log, clock)
  const accountId = randomUUID()
  const origin = { ...SYSTEM, accountId }

  async function store(mediaId: string, collection: string, generation = 0): Promise<string> {
    const ingestId = randomUUID()
    const of = { accountId, ingestId, jobId: randomUUID(), sha256: 'a'.repeat(64) }
    const claim = { type: 'ClaimIngest', ...of, batchId: null, overwrite: false, dead: null } as const
    await streams.execute('media', mediaId, { ...claim, at: clock.now() }, origin)
    const record = {
      ...of,
      mediaType: 'document' as const,
      format: 'txt',
      filename: 'unspeakable.txt',
      sizeBytes: 1,
      artifacts: {},
      vectorCount: { hd: 0, ld: 0 },
      embedder: 'none',
      enricher: 'none',
      durationMs: 0,
      at: clock.now(),
    }
    const place = { collection, generation }
    await streams.execute('media', mediaId, { type: 'RecordIngest', place, keepPlace: false, record }, origin)
    return ingestId
  }
  const remove = (mediaId: string, ingestId: string) =>
    streams.execute(
      'media',
      mediaId,
      { type: 'DeleteMedia', cause: 'requested', reason: 'unspeakable', ingestId, at: clock.now() },
      origin,
    )
  const inLibrary = (command: CommandOf<'library'>) => streams.execute('library', accountId, command, origin)

  const [kept, gone, back, moved, inside] = Array.from({ length: 5 }, () => randomUUID()) as [
    string,
    string,
    string,
    string,
    string,
  ]
  await store(kept, 'default')
  await remove(gone, await store(gone, 'default'))
  const first = await store(back, 'default')
  await remove(back, first)
  const second = await store(back, 'default')
  await store(moved, 'default')
  const ended = await store(inside, 'unspeakable')
  await inLibrary({
    type: 'MoveItems',
    accountId,
    collection: 'unspeakable',
    mediaIds: [moved],
    at: clock.now(),
  })
  await inLibrary({
    type: 'DeleteCollection',
    accountId,
    place: { collection: 'unspeakable', generation: 0 },
    at: clock.now(),
  })
  const after = randomUUID()
  await store(after, 'unspeakable', 1)
  const closed = randomUUID()
  const account = (command: CommandOf<'account'>) => streams.execute('account', closed, command, SYSTEM)
  await account({
    type: 'OpenAccount',
    accountId: closed,
    name: 'unspeakable',
    tier: 'free',
    at: clock.now(),
  })
  await account({ type: 'CloseAccount' })
  await log.close()

  expect(await exportErasures(place, list(), unheard)).toMatchObject({ items: 4, accounts: 1 })
  expect(readFileSync(list(), 'utf8')).not.toContain('unspeakable')
  const { deleted: erasures, closedAccounts } = readErasures(list())
  expect([...closedAccounts]).toEqual([closed])
  expect([...erasures.keys()].sort()).toEqual([gone, back, moved, inside].sort())
  expect(erasures.get(inside)).toMatchObject({ accountId, ingestId: ended })
  // An older log has the first; what came after the deletion is not what was deleted.
  const deleted = erasures.get(back)!
  expect(isDeletedBy({ ingestId: first, at: deleted.at - 1 }, deleted)).toBe(true)
  expect(isDeletedBy({ ingestId: second, at: deleted.at + 1 }, deleted)).toBe(false)
})

test.each([
  ['{', 'cannot be read'],
  ['{"format": 2, "made_at": "now", "deleted": [], "closed_accounts": []}', 'it is no list of erasures'],
  [
    '{"format": 1, "made_at": "now", "deleted": [{"media_id": "1"}], "closed_accounts": []}',
    'it is no list of erasures',
  ],
])('what is no list is refused: %s', (text, said) => {
  writeFileSync(list(), text)
  expect(() => readErasures(list())).toThrow(said)
})
