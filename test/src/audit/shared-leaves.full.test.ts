import type { LogLeaves } from '@medialog/application'
import { openEventStoreDb } from '@medialog/event-store/eventstoredb/store'
import { newEvents } from '@medialog/event-store/testing/events'
import { startEventStoreDbDouble } from '@medialog/event-store/testing/eventstoredb/double'
import { leavesIndexOf, openElasticsearchLeaves } from '@medialog/read-model/elasticsearch/log-leaves'
import { testIndices } from '@medialog/read-model/testing/elasticsearch-engine'
import { expect, test, vi } from 'vitest'
import { describeWithEngine } from '../engines.ts'
import { history, keepTree, watchTree } from './audited-log.ts'

vi.setConfig({ testTimeout: 120_000 })

/** A log on a server, whose tree one process keeps in Elasticsearch and others ask. */
async function shared(url: string) {
  const opened = new AsyncDisposableStack()
  const indices = testIndices(url)
  opened.defer(() => indices.remove())
  const server = opened.use(await startEventStoreDbDouble())
  const openStore = async () =>
    opened.adopt(await openEventStoreDb({ url: server.url }), (opened) => opened.close())
  const store = await openStore()
  const leaves = (): LogLeaves => openElasticsearchLeaves(indices)
  return {
    /** A watcher beside a new keeper, neither of which has read the log before, as after a start. */
    async restarted() {
      const fresh = await openStore()
      opened.adopt(keepTree(fresh, leaves()), (it) => it.close())
      return watchTree(fresh, leaves())
    },
    server,
    store,
    keep: (every?: number) =>
      opened.adopt(keepTree(store, leaves(), every === undefined ? {} : { every }), (it) => it.close()),
    watcher: watchTree(store, leaves()),
    recorded: async (): Promise<number[]> => {
      const sizes: number[] = []
      for await (const { data } of store.read('checkpoints-log')) sizes.push(Number(data['size']))
      return sizes
    },
    loseLeaves: () => indices.client.indices.delete({ index: leavesIndexOf(indices.prefix) }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

describeWithEngine('elasticsearch', 'leaves that processes share', (url) => {
  test('are kept by one, and erased behind, signed and proven by the others', async () => {
    await using it = await shared(url)
    const keeper = it.keep()
    const note = await history(it.store, it.watcher)
    expect(await it.watcher.verify(note)).toMatchObject({ events: 16, erased: 2, found: 0, checkpoints: 2 })
    expect(await keeper.verify(note)).toMatchObject({ events: 16, erased: 2, found: 0, checkpoints: 2 })
    it.server.log.scavenge()
    expect(await it.watcher.verify(note)).toMatchObject({ events: 16, erased: 2, found: 0 })
  })

  test('go on under the next that keeps them, with a checkpoint whenever so many events came', async () => {
    await using it = await shared(url)
    const first = it.keep(100)
    await it.store.append('media-a', 'no-stream', newEvents(300))
    await vi.waitFor(async () => expect(await it.recorded()).toEqual([300]), {
      timeout: 60_000,
      interval: 50,
    })
    await first.close()
    await it.store.append('media-a', 299, newEvents(90))
    it.keep(100)
    const note = await it.watcher.checkpoint()
    expect(note.split('\n')[1]).toBe('391')
    // What was signed on demand counts: the next is due a hundred events later.
    await it.store.append('media-a', 389, newEvents(150))
    await vi.waitFor(async () => expect(await it.recorded()).toEqual([300, 391, 542]), {
      timeout: 60_000,
      interval: 50,
    })
    expect(await it.watcher.verify(note)).toMatchObject({ found: 0, checkpoints: 4 })
  })

  test('that were lost are made again, and what was exported before still proves the log', async () => {
    await using it = await shared(url)
    it.keep()
    await it.store.append('media-a', 'no-stream', newEvents(300))
    const note = await it.watcher.checkpoint()
    await it.loseLeaves()
    await it.store.append('media-a', 299, newEvents(10))
    const again = await it.watcher.checkpoint()
    expect(again.split('\n')[1]).toBe('311')
    const { events, outside, ...proof } = await it.watcher.verify(note)
    // The last checkpoint may not be a leaf itself yet.
    expect(events + outside).toBe(312)
    expect(proof).toMatchObject({ found: 0, checkpoints: 3 })
  })

  test('tell what somebody did to the log', async () => {
    await using it = await shared(url)
    it.keep()
    const note = await history(it.store, it.watcher)
    const { log } = it.server
    const find = (stream: string, revision: number) =>
      log.all.find((event) => event.stream === `medialog.${stream}` && event.revision === revision)!
    const [a3, b5] = [find('media-a', 3), find('media-b', 5)]
    const { data } = a3
    log.tamper(a3.position, { data: Buffer.from(Buffer.from(data).toString().replace('3', '2')) })
    log.takeOut(b5.position)
    expect(await it.watcher.verify(note)).toMatchObject({
      found: 2,
      findings: [
        { what: 'changed', stream: 'media-a', revision: 3, reason: 'the payload is not the one recorded' },
        { what: 'missing', stream: 'media-b', revision: 5 },
      ],
    })
    log.putIn(b5)
    log.tamper(a3.position, { data })
    expect(await it.watcher.verify(note)).toMatchObject({ found: 0 })
  })

  test('that were cut with the end of the log are told by the checkpoint that was exported', async () => {
    await using it = await shared(url)
    const keeper = it.keep()
    const note = await history(it.store, it.watcher)
    await keeper.close()
    const { log } = it.server
    for (const stream of ['checkpoints-log', 'media-a']) log.takeOut(log.last(`medialog.${stream}`)!.position)
    await it.loseLeaves()
    // A process that saw the end of the log refuses a shorter one.
    const watcher = await it.restarted()
    await vi.waitFor(
      async () => expect((await watcher.verify(note)).findings).toMatchObject([{ what: 'cut' }]),
      { timeout: 60_000, interval: 100 },
    )
  })
})
