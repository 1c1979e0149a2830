import { setImmediate as nextTurn } from 'node:timers/promises'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  EngineUnavailable,
  type PositionedChange,
  type ReadModelStore,
  type ReadModelWriter,
} from '@medialog/application/ports'
import type { RecordedEvent } from '@medialog/kernel'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { accountsOf } from '../records/accounts.ts'
import { accessStore } from '../records/stores.ts'
import { databaseFiles } from './database-files.ts'
import { openDatabaseSource } from './database-source.ts'
import { openDatabaseStore } from './database-store.ts'
import { openDocuments } from './document-queries.ts'
import { documentsDefinition } from './documents.ts'
import type { DecodedEvent } from '@medialog/contract'

let folder: string
let store: ReadModelStore<DecodedEvent>
let writer: ReadModelWriter<DecodedEvent>
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'medialog-database-'))
  store = openDatabaseStore({ folder, definition: documentsDefinition(accessStore) })
  writer = await store.open()
})
afterEach(async () => {
  await writer.close()
  rmSync(folder, { recursive: true })
})

const opened = (position: number, name = `account ${position}`): PositionedChange<DecodedEvent> => ({
  position,
  change: {
    category: 'account',
    id: `id ${position}`,
    event: { type: 'AccountOpened', accountId: `id ${position}`, name, tier: 'free', at: 1 },
    recorded: { position, metadata: { timestamp: '2026-11-20T10:00:00Z' } } as RecordedEvent,
  },
})

async function names(): Promise<string[]> {
  const source = openDatabaseSource(folder, 'access')
  try {
    return (await accountsOf(openDocuments(source)).list({ offset: 0, limit: 10 })).accounts.map(
      ({ name }) => name,
    )
  } finally {
    source.close()
  }
}

async function digest(): Promise<string> {
  const snapshot = await writer.snapshot()
  try {
    return (await snapshot.digests()).get('accounts')!
  } finally {
    await snapshot.close()
  }
}

describe('a batch', () => {
  test('lands whole with its checkpoint, or not at all', async () => {
    await writer.applyBatch([opened(1)], 3)
    const broken = opened(5, 5n as never)
    expect(() => writer.applyBatch([opened(4), broken], 5)).toThrow('BigInt')
    expect(writer.position).toBe(3)
    expect(await names()).toEqual(['account 1'])
    await writer.applyBatch([opened(4)], 5)
    expect(await names()).toEqual(['account 1', 'account 4'])
    expect(writer.position).toBe(5)
  })

  test('applied again, or overlapping what was, changes nothing', async () => {
    await writer.applyBatch([opened(1), opened(2)], 2)
    const before = await digest()
    await writer.applyBatch([opened(1, 'other'), opened(2, 'other')], 2)
    expect(await digest()).toBe(before)
    await writer.applyBatch([opened(2, 'other'), opened(3)], 3)
    expect(await names()).toEqual(['account 1', 'account 2', 'account 3'])
  })

  test('is still there after closing and opening', async () => {
    await writer.applyBatch([opened(1)], 7)
    await writer.close()
    writer = await store.open()
    expect(writer.position).toBe(7)
    expect(await names()).toEqual(['account 1'])
  })
})

test('opening a store removes the files of the read models that it replaces', async () => {
  for (const file of ['accounts.current', 'accounts-3.sqlite', 'accounts-3.sqlite-wal', 'usage-3.sqlite'])
    writeFileSync(join(folder, file), '')
  await writer.close()
  writer = await store.open()
  expect(readdirSync(folder).filter((file) => !file.startsWith('access'))).toEqual(['usage-3.sqlite'])
})

test('a snapshot stands still while the writer goes on', async () => {
  await writer.applyBatch([opened(1)], 1)
  const before = await digest()
  const snapshot = await writer.snapshot()
  await writer.applyBatch([opened(2)], 2)
  expect(snapshot.position).toBe(1)
  expect((await snapshot.digests()).get('accounts')).toBe(before)
  await snapshot.close()
  expect(await digest()).not.toBe(before)
})

describe('a reader', () => {
  test('hears that there is no read model yet', () => {
    const source = openDatabaseSource(folder, 'nothing')
    expect(() => source.current()).toThrow(EngineUnavailable)
  })

  test('sees a swap, and never in the middle of code that does not wait', async () => {
    await writer.applyBatch([opened(1)], 1)
    const source = openDatabaseSource(folder, 'access')
    const build = await store.build()
    await build.applyBatch([opened(1, 'rebuilt')], 1)
    const before = source.current()
    const promoted = build.promote()
    expect(source.current()).toBe(before)
    await promoted
    await nextTurn()
    expect(source.current().epoch).toBeGreaterThan(before.epoch)
    expect(
      (await accountsOf(openDocuments(source)).list({ offset: 0, limit: 10 })).accounts.map(
        ({ name }) => name,
      ),
    ).toEqual(['rebuilt'])
    // A reader of the old one is not cut off.
    expect(before.database.prepare('SELECT id FROM account').get()).toEqual({ id: 'id 1' })
    source.close()
    before.database.close()
    await writer.close()
    writer = build
  })

  test('sees a swap as soon as it has waited for anything', async () => {
    await writer.applyBatch([opened(1)], 1)
    const source = openDatabaseSource(folder, 'access')
    const files = databaseFiles(folder, 'access')
    const epoch = files.nextEpoch()
    const build = await store.build()
    await nextTurn()
    const before = source.current()
    files.setCurrent(epoch)
    expect(source.current()).toBe(before)
    await Promise.resolve()
    expect(source.current().epoch).toBe(epoch)
    source.close()
    before.database.close()
    await build.close()
  })

  test('never sees a build that was thrown away', async () => {
    const build = await store.build()
    await build.applyBatch([opened(1)], 1)
    expect(await names()).toEqual([])
    await build.discard()
    expect(await names()).toEqual([])
  })
})
