import { once } from 'node:events'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { newEvents } from '../testing/events.ts'
import { temporaryFolder } from '../testing/folder.ts'
import { openSqliteEventStore } from './store.ts'

test('another thread follows the log with a reader of its own, told of every commit', async () => {
  await using folder = await temporaryFolder()
  const store = await openSqliteEventStore({ path: folder.log })
  const { events: first } = await store.append('media-a', 'no-stream', newEvents(600))
  // The same file by another name: a link to its folder.
  await using links = await temporaryFolder()
  await symlink(folder.path, join(links.path, 'link'))
  const path = join(links.path, 'link', 'log.db')
  const thread = new Worker(new URL('../testing/read-log.ts', import.meta.url), {
    workerData: { path },
    execArgv: [],
  })
  const seen: string[] = []
  let caughtUp = () => {}
  thread.on('message', ({ ids, live }: { ids: string[]; live: boolean }) => {
    seen.push(...ids)
    if (live) caughtUp()
  })
  const live = () => new Promise<void>((resolve) => (caughtUp = resolve))
  await live()
  expect(seen).toEqual(first.map(({ id }) => id))
  for (const revision of [599, 600, 601]) {
    const caught = live()
    const { events } = await store.append('media-a', revision, newEvents(1))
    await caught
    expect(seen.at(-1)).toBe(events[0]!.id)
  }
  const exit = once(thread, 'exit')
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- between threads, not windows
  thread.postMessage('stop')
  await exit
  await store.close()
})
