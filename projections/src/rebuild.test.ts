import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as letOthersRun } from 'node:timers/promises'
import { READ_MODELS, storeOf, type ReadModelName } from '@medialog/application/ports'
import { databaseFiles } from '@medialog/read-model/sqlite/database-files'
import { openDatabaseSource } from '@medialog/read-model/sqlite/database-source'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { idOf } from './testing/history.ts'
import { startService, type Service } from './testing/service.ts'

const ANN = idOf('ann')

let service: Service
beforeEach(async () => {
  service = await startService()
  await service.history.open(ANN)
  for (let item = 0; item < 5; item++) await service.history.upload(ANN, `${item}.txt`, `text of ${item}`)
  await service.history.fail(ANN, 'broken.txt', 'broken')
  await service.history.batch(ANN, 'papers')
  await service.history.begin(ANN, 'unfinished.txt', 'unfinished')
  await service.reached()
})
afterEach(() => service.close())

const ignore = () => undefined

const verified = async (name: ReadModelName, onProgress: Parameters<Service['host']['verify']>[1] = ignore) =>
  (await service.host.verify(name, onProgress)).find(({ readModel }) => readModel === name)!
const rebuilt = async (name: ReadModelName) =>
  (await service.host.rebuild(name, ignore)).find(({ readModel }) => readModel === name)!

/** Somebody's slip with the in-service file. */
function plant(name: ReadModelName, sql: string): void {
  const files = databaseFiles(service.folder, storeOf(name))
  const database = new DatabaseSync(files.path(files.current()!))
  database.exec(sql)
  database.close()
}

const MISTAKES: Record<ReadModelName, string> = {
  catalog: "UPDATE chunk SET text = text || '!' WHERE ordinal = 0",
  accounts: "UPDATE account SET body = json_set(body, '$.tier', 'free')",
  usage:
    "UPDATE posting SET body = json_set(body, '$.balance', '1') WHERE position = (SELECT max(position) FROM posting)",
  work: 'DELETE FROM open_work',
  batches: 'UPDATE job SET sizeBytes = sizeBytes + 1',
  history: 'DELETE FROM item_event WHERE position = (SELECT max(position) FROM item_event)',
}

describe.each(READ_MODELS)('%s', (name) => {
  test('is verified against a fresh build, which leaves no trace', async () => {
    const files = readdirSync(service.folder)
    const phases: string[] = []
    const report = await verified(name, ({ phase }) => phases.push(phase))
    expect(report).toMatchObject({ readModel: name, identical: true, swapped: false })
    expect(report.digestInService).toMatch(/^[0-9a-f]{64}$/)
    expect(report.position).toBe(await service.store.head())
    expect(phases).toEqual(expect.arrayContaining(['building', 'comparing', 'done']))
    expect(readdirSync(service.folder).filter((file) => !files.includes(file))).toEqual([])
  })

  test('a planted mistake is found by verify and repaired by rebuild, while readers look on', async () => {
    plant(name, MISTAKES[name])
    const source = openDatabaseSource(service.folder, storeOf(name))
    const { epoch } = source.current()
    expect(await verified(name)).toMatchObject({ identical: false, swapped: false })
    expect(source.current().epoch).toBe(epoch)
    expect(await rebuilt(name)).toMatchObject({ identical: false, swapped: true })
    expect(source.current().epoch).toBeGreaterThan(epoch)
    expect(await verified(name)).toMatchObject({ identical: true })
    expect(
      readdirSync(service.folder).filter((file) => file.startsWith(`${storeOf(name)}-${epoch}.`)),
    ).toEqual([])

    await service.history.upload(ANN, 'late.txt', 'late')
    expect(await service.reached()).toBe(true)
    const { position } = source.current().database.prepare('SELECT position FROM checkpoint').get()!
    expect(position).toBe(await service.store.head())
    source.close()
  })
})

test('rebuilds while events keep coming: nothing is lost, readers never see less', async () => {
  let writing = true
  const writer = (async () => {
    for (let item = 0; writing; item++) {
      await service.history.upload(ANN, `more ${item}.txt`, `more ${item}`)
      await letOthersRun()
    }
  })()
  const source = openDatabaseSource(service.folder, 'catalog')
  const seen: number[] = []
  const reader = (async () => {
    while (writing) {
      seen.push(source.current().database.prepare('SELECT count(*) AS n FROM item').get()!.n as number)
      await letOthersRun()
    }
  })()
  const get = service.artifacts.get.bind(service.artifacts)
  service.artifacts.get = async (...of) => letOthersRun().then(() => get(...of))
  for (let round = 0; round < 3; round++)
    for (const name of READ_MODELS) {
      expect(await rebuilt(name)).toMatchObject({ identical: true, swapped: true })
      await letOthersRun()
    }
  writing = false
  await Promise.all([writer, reader])
  source.close()
  expect(await service.reached()).toBe(true)
  expect(seen.every((count, index) => index === 0 || count >= seen[index - 1]!)).toBe(true)
  expect(seen.at(-1)).toBeGreaterThan(5)
  for (const name of READ_MODELS) expect(await verified(name)).toMatchObject({ identical: true })
})

test('what is erased between building and comparing makes no difference', async () => {
  const { history, host, artifacts, store } = service
  const { mediaId, ingestId } = await history.upload(ANN, 'secret.txt', 'secret')
  await service.reached()
  const get = artifacts.get.bind(artifacts)
  let erased = false
  // The build has read the event already when its artifacts go; the one in service has not seen the deletion.
  artifacts.get = async (ingest, name) => {
    if (ingest.ingestId === ingestId && !erased) {
      erased = true
      await history.remove(ANN, mediaId, ingestId)
      await history.erase(ANN, mediaId, ingestId)
    }
    return get(ingest, name)
  }
  const [report] = await host.verify('catalog', ignore)
  expect(erased).toBe(true)
  expect(report).toMatchObject({ identical: true, position: await store.head() })
})

describe('what is erased while a slow rebuild is under way', () => {
  const filesHolding = (words: string): string[] =>
    readdirSync(service.folder).filter((file) => readFileSync(join(service.folder, file)).includes(words))

  /** Holds up reads of artifacts of that ingest, so many times; answers when the first one waits. */
  function holdUp(ingestId: string) {
    const waits = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const get = service.artifacts.get.bind(service.artifacts)
    service.artifacts.get = async (ingest, name) => {
      const bytes = await get(ingest, name)
      if (ingest.ingestId === ingestId) {
        waits.resolve()
        await goOn.promise
      }
      return bytes
    }
    return { waits: waits.promise, goOn: goOn.resolve }
  }

  /** Enough batches that the first are in the file when the last is asked for. */
  async function library() {
    const { history } = service
    const deleted = await history.upload(ANN, 'deleted.txt', 'zebra '.repeat(2_000))
    await history.upload(ANN, 'replaced.txt', 'quagga '.repeat(2_000))
    for (let item = 0; item < 100; item++) await history.upload(ANN, `more ${item}.txt`, `more ${item}`)
    const last = await history.upload(ANN, 'last.txt', 'okapi '.repeat(2_000))
    await service.reached()
    return { deleted, last }
  }

  const builtFile = (): string => {
    const files = databaseFiles(service.folder, 'catalog')
    return files.path(files.nextEpoch() - 1)
  }

  test.each(['rebuild', 'verify'] as const)(
    'is in no file long before a %s has got that far',
    async (kind) => {
      const { history, host } = service
      const { deleted, last } = await library()
      const { waits, goOn } = holdUp(last.ingestId)
      const made = host[kind]('catalog', ignore)
      await waits
      const inBuild = (words: string) =>
        ['', '-wal'].some((suffix) => readFileSync(builtFile() + suffix).includes(words))
      expect([inBuild('zebra'), inBuild('quagga'), inBuild('okapi')]).toEqual([true, true, false])

      await history.remove(ANN, deleted.mediaId, deleted.ingestId)
      await history.overwrite(ANN, 'replaced.txt', 'newer')
      // Its artifacts are read already: its text is about to land.
      await history.remove(ANN, last.mediaId, last.ingestId)
      expect(await service.reached()).toBe(true)
      await host.flushErased()
      for (const words of ['zebra', 'quagga', 'okapi']) expect(filesHolding(words)).toEqual([])

      goOn()
      expect(await made).toMatchObject([{ identical: true, swapped: kind === 'rebuild' }])
      await host.flushErased()
      for (const words of ['zebra', 'quagga', 'okapi']) expect(filesHolding(words)).toEqual([])
      expect(filesHolding('newer')).not.toEqual([])
      expect(await host.verify('catalog', ignore)).toMatchObject([{ identical: true }])
    },
  )

  test('lands in no build that begins before its artifacts are gone', async () => {
    const { history, host } = service
    const { deleted, last } = await library()
    await history.remove(ANN, deleted.mediaId, deleted.ingestId)
    await service.reached()
    await host.flushErased()
    const { waits, goOn } = holdUp(last.ingestId)
    const made = host.verify('catalog', ignore)
    await waits
    expect(filesHolding('zebra')).toEqual([])
    goOn()
    expect(await made).toMatchObject([{ identical: true }])
  })
})

test('of a log whose chain breaks nothing is made: the one in service stays', async () => {
  const { store, folder, host } = service
  const readAll = store.readAll.bind(store)
  store.readAll = async function* (after, options) {
    for await (const event of readAll(after, options)) {
      if (options?.proven && event.position > 3)
        throw new Error('position 4: the payload is not the one recorded')
      yield event
    }
  }
  const files = databaseFiles(folder, 'catalog')
  const before = files.current()
  for (const work of ['rebuild', 'verify'] as const)
    await expect(host[work]('catalog', ignore)).rejects.toThrow(
      'position 4: the payload is not the one recorded',
    )
  expect(files.current()).toBe(before)
  expect(readdirSync(folder).filter((file) => /^catalog-\d+\.sqlite$/.test(file))).toHaveLength(1)
})

test('a half-built file that a crash left is gone after the next start', async () => {
  const { folder } = service
  const files = databaseFiles(folder, 'usage')
  const left = files.path(files.nextEpoch())
  new DatabaseSync(left).exec('CREATE TABLE half (built)')
  await service.restart()
  expect(readdirSync(folder).filter((file) => left.endsWith(file))).toEqual([])
  expect(await verified('usage')).toMatchObject({ identical: true })
})

test('the room of removed content is reclaimed while the read model serves', async () => {
  const source = openDatabaseSource(service.folder, 'catalog')
  const { epoch } = source.current()
  for (let round = 0; source.current().epoch === epoch; round++) {
    expect(service.logged).toEqual([])
    expect(round, 'rounds').toBeLessThan(40)
    const text = `${round} ${'words of it '.repeat(30_000)}`
    const gone = await Promise.all(
      [1, 2, 3].map((n) => service.history.upload(ANN, `${round}-${n}.txt`, `${n} ${text}`)),
    )
    await service.reached()
    for (const { mediaId, ingestId } of gone) await service.history.remove(ANN, mediaId, ingestId)
    await service.reached()
    await service.host.flushErased()
    // Log and artifacts are in memory: a round alone waits for no timer and no file, and the copy would never have its turn.
    await letOthersRun()
  }
  const [removed] = Object.values(source.current().database.prepare('SELECT bytes FROM tombstone').get()!)
  expect(removed).toBeLessThan(2 ** 20)
  source.close()
  expect(await verified('catalog')).toMatchObject({ identical: true })
})
