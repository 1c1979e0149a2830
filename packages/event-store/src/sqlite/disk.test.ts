import { expect, test } from 'vitest'
import { EngineUnavailable } from '@medialog/application/ports'
import { verifyChain } from '../testing/verify-chain.ts'
import { startChild } from '../testing/child.ts'
import { newEvent } from '../testing/events.ts'
import { temporaryFolder } from '../testing/folder.ts'
import { openSqliteEventStore } from './store.ts'

test('an append that the disk has no room for is refused alone, wholly, and later ones are taken', async () => {
  await using folder = await temporaryFolder()
  // The limit on a file's size (in KiB) is the full disk: the write itself fails, as it would there.
  await using child = startChild('./outgrow-disk.ts', [folder.log], 'ulimit -f 2048;')
  expect(await child.nextLine()).toBe('recorded unavailable recorded')
  expect(await child.nextLine()).toBe('closed')
  await child.kill()
  const store = await openSqliteEventStore({ path: folder.log })
  const streams: string[] = []
  for await (const { stream } of store.readAll(0)) streams.push(stream)
  expect(streams).toEqual(['media-a', 'media-a', 'media-b', 'media-b', 'media-d', 'media-d', 'media-a'])
  expect((await verifyChain(store.readAll(0))).broken).toBeNull()
  await store.close()
})

test('a closed log refuses appends', async () => {
  await using folder = await temporaryFolder()
  const store = await openSqliteEventStore({ path: folder.log })
  const underWay = store.append('media-a', 'no-stream', [newEvent()])
  await store.close()
  expect((await underWay).revision).toBe(0)
  await expect(store.append('media-a', 0, [newEvent()])).rejects.toThrow(EngineUnavailable)
  await store.close()
})
