import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { accountsOf } from '@medialog/read-model/records/accounts'
import { openDocuments } from '@medialog/read-model/sqlite/document-queries'
import { batchesOf } from '@medialog/read-model/records/batches'
import { openCatalog } from '@medialog/read-model/sqlite/catalog/catalog'
import { openErasureLedger } from '@medialog/read-model/sqlite/catalog/erasure-ledger'
import { readCheckpoints } from '@medialog/read-model/sqlite/checkpoints'
import { databaseFiles } from '@medialog/read-model/sqlite/database-files'
import { openDatabaseSource } from '@medialog/read-model/sqlite/database-source'
import type { DatabaseSource } from '@medialog/read-model/sqlite/source'
import { historyOf } from '@medialog/read-model/records/history'
import { usageOf } from '@medialog/read-model/records/usage'
import { workOf } from '@medialog/read-model/records/work'
import { damageTree } from '@medialog/read-model/testing/damage'
import { preparedOtherwise } from '@medialog/read-model/testing/prepared-otherwise'
import {
  EngineUnavailable,
  READ_MODELS,
  storeOf,
  STORES,
  type Damage,
  type ReadModelName,
} from '@medialog/application/ports'
import { usd } from '@medialog/kernel'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { idOf } from './testing/history.ts'
import { startService, type Service } from './testing/service.ts'

const ANN = idOf('ann')

let service: Service
beforeEach(async () => {
  service = await startService()
  await service.history.open(ANN)
})
afterEach(() => service.close())

async function statusOf(name: ReadModelName) {
  return (await service.host.status()).find((status) => status.name === name)!
}

/** What the catalog holds, as stored. */
function rows(sql: string): Record<string, unknown>[] {
  const file = databaseFiles(service.folder, 'catalog')
  const database = new DatabaseSync(file.path(file.current()!), { readOnly: true })
  try {
    return database
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }))
  } finally {
    database.close()
  }
}

const texts = () =>
  rows('SELECT text FROM item JOIN content ON item = id ORDER BY text').map(({ text }) => text)

async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  for (const deadline = Date.now() + 5_000; Date.now() < deadline;)
    if (await condition()) return
    else await new Promise((resolve) => setTimeout(resolve, 10))
  throw new Error('it did not come to pass')
}

describe('the projection host', () => {
  test('reads show what was written once the position is reached', async () => {
    const { history, host } = service
    const { position } = await history.upload(ANN, 'a.txt', 'first text')
    expect(await host.reached(position, { timeoutMs: 5_000 })).toBe(true)
    expect(texts()).toEqual(['first text'])
    const source = openDatabaseSource(service.folder, 'records')
    expect(await usageOf(openDocuments(source)).balance(ANN)).toBe(usd('99.96'))
    source.close()
    for (const status of await host.status()) expect(status).toMatchObject({ behind: 0, error: null })
  })

  test('a checkpoint keeps the hash of its event', async () => {
    const { history, store, folder } = service
    await history.upload(ANN, 'a.txt', 'first text')
    await service.reached()
    const checkpoints = readCheckpoints(folder)
    expect(checkpoints.map(({ name }) => name)).toEqual(STORES)
    for (const { position, hash } of checkpoints)
      expect(await store.eventAt(position)).toMatchObject({ position, hash })
  })

  test('a position that does not come is false after the time given', async () => {
    const started = performance.now()
    expect(await service.host.reached(1_000, { timeoutMs: 30 })).toBe(false)
    expect(performance.now() - started).toBeLessThan(1_000)
  })

  test('goes on where it stood after a restart', async () => {
    const { history } = service
    await history.upload(ANN, 'a.txt', 'before')
    await service.reached()
    const stood = await service.store.head()
    const subscribe = vi.spyOn(service.store, 'subscribe')
    await service.restart()
    await history.upload(ANN, 'b.txt', 'after')
    expect(await service.reached()).toBe(true)
    expect(texts()).toEqual(['after', 'before'])
    expect(subscribe.mock.calls.map(([after]) => after)).toEqual(STORES.map(() => stood))
  })

  test('events of a type that this release does not know are passed over', async () => {
    const { store, host } = service
    const metadata = { timestamp: '2026-11-20T10:00:00.000Z', actor: 'later' }
    for (const stream of ['media-x', 'ledger-x', 'account-x', 'library-x', 'batch-x', 'other-x'] as const)
      await store.append(stream, 'no-stream', [
        { id: idOf(stream), type: 'InventedLater', version: 1, data: {}, metadata },
      ])
    expect(await host.reached(await store.head(), { timeoutMs: 5_000 })).toBe(true)
    for (const { error } of await host.status()) expect(error).toBeNull()
  })

  test('overwriting keeps place and time of creation, moves and endings land', async () => {
    const { history } = service
    const { mediaId } = await history.upload(ANN, 'a.txt', 'old', 'papers')
    const { mediaId: other } = await history.upload(ANN, 'b.txt', 'other', 'papers')
    await service.reached()
    const created = rows('SELECT created_at FROM item ORDER BY created_at')
    await history.overwrite(ANN, 'a.txt', 'new')
    await history.move(ANN, [other], 'kept')
    await service.reached()
    expect(texts()).toEqual(['new', 'other'])
    expect(rows('SELECT created_at FROM item ORDER BY created_at')).toEqual(created)
    await history.endCollection(ANN, 'papers')
    await service.reached()
    const ended = rows(
      'SELECT media_id FROM item JOIN collection c ON c.id = collection WHERE c.ended_position IS NULL',
    )
    expect(ended).toEqual([{ media_id: other }])
    expect(mediaId).not.toBe(other)
  })
})

describe('artifacts', () => {
  test('a missing one of a living item stops the catalog, visibly and alone, until it is back', async () => {
    const { history, artifacts, host, store } = service
    const { position: before } = await history.upload(ANN, 'before.txt', 'before')
    const begun = await history.begin(ANN, 'a.txt', 'text')
    const files = new Map(artifacts.files)
    artifacts.files.clear()
    await recordAndSettle(begun)
    expect(await service.reached('usage', 'accounts', 'work')).toBe(true)
    await until(async () => (await statusOf('catalog')).error !== null)
    const status = await statusOf('catalog')
    expect(status.error).toContain('missing')
    expect(status.behind).toBeGreaterThan(0)
    expect(status.position).toBeGreaterThan(before)
    expect(texts()).toEqual(['before'])
    for (const [path, bytes] of files) artifacts.files.set(path, bytes)
    expect(await host.reached(await store.head(), { timeoutMs: 5_000 })).toBe(true)
    expect((await statusOf('catalog')).error).toBeNull()
    expect(texts()).toEqual(['before', 'text'])
  })

  test('other bytes than were recorded stop it too', async () => {
    const { history, artifacts } = service
    const begun = await history.begin(ANN, 'a.txt', 'text')
    for (const [path, bytes] of artifacts.files)
      if (path.endsWith('.json')) artifacts.files.set(path, Buffer.concat([bytes, Buffer.from(' ')]))
    await recordAndSettle(begun)
    await until(async () => (await statusOf('catalog')).error !== null)
    expect((await statusOf('catalog')).error).toMatch(/understood-\w+\.json is not what was recorded/)
  })

  test.each(['deleted', 'replaced', 'ended'] as const)(
    'a missing one of a %s item is no loss',
    async (end) => {
      const { history, artifacts, host } = service
      await host.close()
      const { mediaId, ingestId } = await history.upload(ANN, 'a.txt', 'gone', 'papers')
      if (end === 'replaced') await history.overwrite(ANN, 'a.txt', 'newer')
      else {
        if (end === 'ended') await history.endCollection(ANN, 'papers')
        await history.remove(ANN, mediaId, ingestId)
      }
      await artifacts.deleteIngest({ accountId: ANN, mediaId, ingestId })
      await history.upload(ANN, 'b.txt', 'there')
      await service.restart()
      expect(await service.reached()).toBe(true)
      expect(texts()).toEqual(end === 'replaced' ? ['newer', 'there'] : ['there'])
    },
  )

  describe('of vectors that others took the place of', () => {
    const names = () => [...service.artifacts.files.keys()].map((path) => path.split('/').at(-1)!)
    const models = () => rows('SELECT model FROM item ORDER BY media_id')

    async function storeAndReembed(...embedders: string[]) {
      const { history } = service
      const ids = await history.upload(ANN, 'a.txt', 'text')
      for (const embedder of embedders)
        await history.reembed(ANN, ids.mediaId, ids.ingestId, 'text', embedder)
      return { accountId: ANN, mediaId: ids.mediaId, ingestId: ids.ingestId }
    }

    test('are gone, and a rebuild makes what is in service anyway', async () => {
      const ingest = await storeAndReembed('second', 'third')
      await service.reached()
      expect(models()).toEqual([{ model: 'third' }])
      expect(texts()).toEqual(['text'])
      for (const kept of ['all', 'the last']) {
        const [words, last] = [names()[0]!, names().at(-1)!]
        if (kept === 'the last') await service.artifacts.retain(ingest, [words, last])
        expect(await service.host.verify('catalog', () => undefined)).toMatchObject([{ identical: true }])
      }
      expect(service.artifacts.files.size).toBe(2)
    })

    test('are followed from the beginning though they are gone', async () => {
      await service.host.close()
      const ingest = await storeAndReembed('second')
      await service.artifacts.retain(ingest, [names()[0]!, names().at(-1)!])
      await service.restart()
      expect(await service.reached()).toBe(true)
      expect(models()).toEqual([{ model: 'second' }])
    })

    test('are no use where the ones that were recorded last are missing', async () => {
      const ingest = await storeAndReembed()
      await service.host.close()
      const before = names()
      await service.history.reembed(ANN, ingest.mediaId, ingest.ingestId, 'text', 'second')
      await service.artifacts.retain(ingest, before)
      await service.restart()
      await until(async () => (await statusOf('catalog')).error !== null)
      expect((await statusOf('catalog')).error).toMatch(
        /MediaReembedded .*vectors-[0-9a-f]+\.bin of a living item/,
      )
    })

    test('bring nothing back of an item that was deleted', async () => {
      await service.host.close()
      const ingest = await storeAndReembed('second')
      await service.history.remove(ANN, ingest.mediaId, ingest.ingestId)
      await service.restart()
      expect(await service.reached()).toBe(true)
      expect(rows('SELECT * FROM item')).toEqual([])
    })
  })

  async function recordAndSettle({
    accountId,
    mediaId,
    ingestId,
    record,
  }: Awaited<ReturnType<Service['history']['begin']>>) {
    const { streams, clock } = service.history
    const place = { collection: 'default', generation: 0 }
    const command = { type: 'RecordIngest', place, keepPlace: false, record } as const
    await streams.execute('media', mediaId, command, { actor: 'system' })
    const settle = { type: 'Settle', chargeId: ingestId, at: clock.now() } as const
    await streams.execute('ledger', accountId, settle, { actor: 'system' })
  }
})

describe('trouble', () => {
  test('an unavailable engine is shown and retried', async () => {
    const { store, history } = service
    let away = STORES.length
    const log = {
      head: () => store.head(),
      read: store.read.bind(store),
      readAll: store.readAll.bind(store),
      subscribe: (...of: Parameters<typeof store.subscribe>) => {
        if (away-- > 0) throw new EngineUnavailable('log', 'the log is unavailable')
        return store.subscribe(...of)
      },
    }
    const other = await startService({ log, artifacts: service.artifacts })
    await until(async () =>
      (await other.host.status()).some(({ error }) => error === 'the log is unavailable'),
    )
    const { position } = await history.upload(ANN, 'a.txt', 'text')
    expect(await other.host.reached(position, { timeoutMs: 5_000 })).toBe(true)
    for (const { error } of await other.host.status()) expect(error).toBeNull()
    expect(other.logged).toContain('projection stands still')
    await other.close()
  })

  test.each([
    ['of an older version', (path: string) => withDatabase(path, 'PRAGMA user_version = 0')],
    ['that is no database', (path: string) => writeFileSync(path, 'x'.repeat(8_192))],
    ['without a checkpoint', (path: string) => withDatabase(path, 'DELETE FROM checkpoint')],
    ['that was lost', (path: string) => withDatabase(path, null)],
  ])('a file %s is rebuilt from the log, and reported', async (_, damage) => {
    const { history, host, folder, logged } = service
    await history.upload(ANN, 'a.txt', 'text')
    await service.reached()
    await host.close()
    const files = databaseFiles(folder, 'catalog')
    const epoch = files.current()!
    damage(files.path(epoch))
    await service.restart()
    expect(await service.reached()).toBe(true)
    expect(texts()).toEqual(['text'])
    expect(files.current()).toBeGreaterThan(epoch)
    expect(logged).toContain('the read model is being rebuilt from the log')
    expect(readdirSync(folder).filter((file) => file.startsWith(`catalog-${epoch}.`))).toEqual([])
  })

  test('a rebuild that takes long logs how far it is', async () => {
    const { host, folder, logged } = service
    await service.reached()
    await host.close()
    const files = databaseFiles(folder, 'catalog')
    withDatabase(files.path(files.current()!), 'PRAGMA user_version = 0')
    let now = performance.now()
    using _slow = vi.spyOn(performance, 'now').mockImplementation(() => (now += 11_000))
    await service.restart()
    expect(await service.reached()).toBe(true)
    expect(logged).toContain('the read model is being rebuilt')
  })

  test('a file of an older version with the same tables serves until it was rebuilt', async () => {
    const { history, host, folder, logged } = service
    await history.upload(ANN, 'a.txt', 'text')
    await service.reached()
    await host.close()
    const files = databaseFiles(folder, 'catalog')
    const epoch = files.current()!
    withDatabase(files.path(epoch), 'PRAGMA user_version = 3')
    await service.restart()
    expect(texts()).toEqual(['text'])
    for (const { error } of await service.host.status()) expect(error).toBeNull()
    await until(async () => files.current()! > epoch)
    expect(texts()).toEqual(['text'])
    await until(async () => logged.includes('the read model was rebuilt from the log'))
    await service.restart()
    expect(files.current()).toBe(epoch + 1)
  })

  function withDatabase(path: string, sql: string | null): void {
    if (sql === null) return databaseFiles(service.folder, 'catalog').remove(1)
    const database = new DatabaseSync(path)
    database.exec(sql)
    database.close()
  }
})

describe('damage', () => {
  const MADE_ANEW = 'the read model was rebuilt from the log'
  const madeAnew = () => service.logged.filter((line) => line === MADE_ANEW)

  const fileOf = (name: ReadModelName): string => {
    const files = databaseFiles(service.folder, storeOf(name))
    return files.path(files.current()!)
  }

  const readers = {
    catalog: (source: DatabaseSource) =>
      openCatalog(source, openErasureLedger(':memory:'), () => 0).list(ANN, {}, { offset: 0, limit: 10 }),
    accounts: (source: DatabaseSource) => accountsOf(openDocuments(source)).account(ANN),
    usage: (source: DatabaseSource) => usageOf(openDocuments(source)).transactions(ANN, { limit: 10 }),
    work: (source: DatabaseSource) => workOf(openDocuments(source)).charges(),
    batches: (source: DatabaseSource) =>
      batchesOf(openDocuments(source)).list(ANN, {}, { offset: 0, limit: 10 }),
    history: (source: DatabaseSource) =>
      historyOf(openDocuments(source)).ofItem(ANN, ANN, { offset: 0, limit: 10 }),
  }
  const TREES = {
    catalog: 'item_newest',
    accounts: 'account',
    usage: 'posting',
    work: 'open_work',
    batches: 'batch_0',
    history: 'item_event_0',
  } as const

  beforeEach(async () => {
    const { history } = service
    for (let item = 0; item < 5; item++) await history.upload(ANN, `${item}.txt`, `text ${item} `.repeat(500))
    await history.begin(ANN, 'begun.txt', 'begun')
    await service.reached()
  })

  test.each(READ_MODELS)('of %s while it is closed is found at the start', async (name) => {
    await service.host.close()
    damageTree(fileOf(name), TREES[name])
    await service.restart()
    const source = openDatabaseSource(service.folder, storeOf(name))
    expect(await service.reached()).toBe(true)
    expect(await readers[name](source)).toBeTruthy()
    await until(async () => madeAnew().length === 1)
    for (const { identical } of await service.host.verify(name, () => undefined)) expect(identical).toBe(true)
    expect((await statusOf(name)).error).toBeNull()
    source.close()
  })

  test.each(READ_MODELS)('of %s that a reader comes upon is mended once, beside', async (name) => {
    // Closed and opened: then all pages are in the file itself, and not in memory.
    await service.restart()
    damageTree(fileOf(name), TREES[name])
    const told: Damage[] = []
    const source = openDatabaseSource(service.folder, storeOf(name), (damage) => told.push(damage))
    const failed = await readers[name](source).catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(EngineUnavailable)
    await expect(readers[name](source)).rejects.toThrow('damaged')
    expect(told).toHaveLength(2)
    expect((await statusOf(name)).error).toBeNull()
    for (const damage of told) service.host.damaged(storeOf(name), damage)
    expect((await statusOf(name)).error).toContain('being rebuilt')
    await until(async () => (await statusOf(name)).error === null)
    expect(await readers[name](source)).toBeTruthy()
    // Said late, of a file that is not in service any more.
    service.host.damaged(storeOf(name), told[0]!)
    expect((await statusOf(name)).error).toBeNull()
    await until(async () => madeAnew().length === 1)
    for (const { identical } of await service.host.verify(name, () => undefined)) expect(identical).toBe(true)
    source.close()
  })

  test('a JSON cell that does not parse is damage', async () => {
    const database = new DatabaseSync(fileOf('catalog'))
    database.exec("UPDATE record SET record = replace(record, '{', '[')")
    database.close()
    const source = openDatabaseSource(service.folder, 'catalog', (damage) =>
      service.host.damaged('catalog', damage),
    )
    await expect(readers.catalog(source)).rejects.toBeInstanceOf(EngineUnavailable)
    await until(async () => madeAnew().length === 1)
    expect(await readers.catalog(source)).toMatchObject({ total: 5 })
    source.close()
  })

  test('what is damaged again right after is left alone for a while', async () => {
    const damage = (): Damage => ({
      epoch: databaseFiles(service.folder, 'records').current()!,
      reason: 'planted',
    })
    service.host.damaged('records', damage())
    await until(async () => madeAnew().length === 1)
    service.host.damaged('records', damage())
    expect((await statusOf('usage')).error).toContain('planted')
    expect(madeAnew()).toHaveLength(1)
  })

  test('that shows when it is written to is mended, and nothing is lost', async () => {
    await service.host.close()
    damageTree(fileOf('catalog'), 'item')
    {
      using _unchecked = preparedOtherwise('quick_check', () => "SELECT 'ok' AS quick_check")
      await service.restart()
    }
    await service.history.upload(ANN, 'new.txt', 'new text')
    expect(await service.reached()).toBe(true)
    expect(texts()).toHaveLength(6)
    await until(async () => madeAnew().length === 1)
    expect((await statusOf('catalog')).error).toBeNull()
  })

  test('a start that is interrupted while it mends goes on mending at the next one', async () => {
    await service.host.close()
    damageTree(fileOf('catalog'), 'item_newest')
    const get = service.artifacts.get.bind(service.artifacts)
    service.artifacts.get = () => Promise.reject(new Error('away'))
    await service.restart()
    const source = openDatabaseSource(service.folder, 'catalog')
    await until(async () => service.logged.includes('rebuilding it failed and is retried'))
    await expect(readers.catalog(source)).rejects.toBeInstanceOf(EngineUnavailable)
    expect(await service.host.reached(1, { readModels: ['catalog'], timeoutMs: 10 })).toBe(false)
    await service.host.close()
    service.artifacts.get = get
    await service.restart()
    expect(await service.reached()).toBe(true)
    expect(await readers.catalog(source)).toMatchObject({ total: 5 })
    source.close()
  })
})

describe('erasing', () => {
  test('that fails is reported, shown and retried until it is done', async () => {
    const { history, host } = service
    const { mediaId, ingestId } = await history.upload(ANN, 'a.txt', 'zebra '.repeat(5_000))
    await service.reached()
    await host.flushErased()
    {
      using _failing = preparedOtherwise('wal_checkpoint', () => {
        throw new Error('the disk is full')
      })
      await history.remove(ANN, mediaId, ingestId)
      await service.reached()
      await expect(host.flushErased()).rejects.toThrow('the disk is full')
      expect(await statusOf('catalog')).toMatchObject({
        error: null,
        unwiped: { removals: 1, error: 'the disk is full' },
      })
      expect(service.logged).toContain('wiping failed')
      expect(holds('zebra')).not.toEqual([])
    }
    await until(() => holds('zebra').length === 0)
    await until(async () => (await statusOf('catalog')).unwiped.error === null)
    expect((await statusOf('catalog')).unwiped.removals).toBe(0)
  })

  const holds = (words: string): string[] =>
    readdirSync(service.folder).filter((file) => readFileSync(join(service.folder, file)).includes(words))

  test('what was deleted or replaced is in no file after flushErased', async () => {
    const { history, host } = service
    const { mediaId, ingestId } = await history.upload(ANN, 'a.txt', 'zebra '.repeat(5_000))
    await history.upload(ANN, 'b.txt', 'quagga '.repeat(5_000))
    await service.reached()
    expect(holds('zebra')).not.toEqual([])
    await history.remove(ANN, mediaId, ingestId)
    await history.overwrite(ANN, 'b.txt', 'something else')
    await service.reached()
    await host.flushErased()
    expect(holds('zebra')).toEqual([])
    expect(holds('quagga')).toEqual([])
    expect(holds('something else')).not.toEqual([])
  })

  test('a reader in the middle of a snapshot only delays it; no call is needed', async () => {
    const { history } = service
    const { mediaId, ingestId } = await history.upload(ANN, 'a.txt', 'zebra '.repeat(5_000))
    await service.reached()
    const source = openDatabaseSource(service.folder, 'catalog')
    const { database } = source.current()
    database.exec('BEGIN')
    database.prepare('SELECT count(*) FROM item').get()
    await history.remove(ANN, mediaId, ingestId)
    await service.reached()
    await new Promise((resolve) => setTimeout(resolve, 700))
    expect(holds('zebra')).not.toEqual([])
    database.exec('COMMIT')
    await until(() => holds('zebra').length === 0)
    source.close()
  })
})

test('accounts show keys in every state', async () => {
  const { history } = service
  const digest = 'a'.repeat(64)
  const key = { keyId: 'abcd1234', label: 'mine', digest, capabilities: ['read' as const, 'write' as const] }
  const at = history.clock.now()
  const issue = {
    type: 'IssueApiKey',
    ...key,
    expiresAt: null,
    at,
  } as const
  await history.streams.execute('account', ANN, issue, { actor: 'operator' })
  const rotate = {
    type: 'RotateApiKey',
    keyId: key.keyId,
    digest: 'b'.repeat(64),
    at,
    oldValidUntil: at + 5,
  } as const
  await history.streams.execute('account', ANN, rotate, { actor: 'operator' })
  await service.reached()
  const source = openDatabaseSource(service.folder, 'access')
  const found = await accountsOf(openDocuments(source)).key(key.keyId)
  expect(found).toMatchObject({
    key: {
      digest: 'b'.repeat(64),
      previous: { digest, validUntil: at + 5 },
      capabilities: ['read', 'write'],
    },
    account: { accountId: ANN, status: 'active', tier: 'standard' },
  })
  source.close()
})
