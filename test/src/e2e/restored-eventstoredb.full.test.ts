import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { startEventStoreDbDouble } from '@medialog/event-store/testing/eventstoredb/double'
import { expect, test, vi } from 'vitest'
import { medialogAt } from '../harness/cli.ts'
import { expectStatus } from '../harness/expect-status.ts'
import { serveOnEventStoreDb } from '../harness/on-eventstoredb.ts'
import { operated } from '../harness/operations.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

const { log, folder, start, stop, account, operator, filenames } = await serveOnEventStoreDb()

test('what was erased stays erased when an older backup of the server is restored', async () => {
  const kept = await account().upload('restored.txt', 'The lapwing of the meadow is to be restored.')
  const gone = await account().upload('erased.txt', 'The corncrake of the meadow is to be erased.')
  expect([kept.status, gone.status]).toEqual([200, 200])
  const backup = log.log.all.at(-1)!.position
  const path = `/v1/media/${gone.body.data.media_id}`
  expectStatus(await account().request('DELETE', path), 200)
  const list = join(folder, 'list.json')
  expect(await medialogAt(log.url, 'erasures', 'export', list)).toMatchObject({ code: 0 })
  await stop()
  log.log.goBackTo(backup)
  // Both are rebuilt from the log.
  for (const name of ['read-models', 'audit']) await rm(join(folder, name), { recursive: true })

  const applied = () => medialogAt(log.url, 'erasures', 'apply', list)
  expect(await applied()).toMatchObject({ code: 0, answer: { items: 1, accounts: 0 } })
  expect(await applied()).toMatchObject({ code: 0, answer: { items: 0, accounts: 0 } })
  await start()
  expect(await filenames()).toEqual(['restored.txt'])
  const { stream } = log.log.all.findLast(({ type }) => type === 'MediaDeleted')!
  await vi.waitFor(() => expect(log.log.visible(stream)).toMatchObject([{ type: 'MediaDeleted' }]), {
    timeout: 120_000,
  })
  expect(await operated(operator(), { kind: 'log-verify' })).toMatchObject({ result: { intact: true } })
})

test('a start without its server, or on another log, ends with one line that says what to do', async () => {
  expect(await stop()).toBe(0)
  await using another = await startEventStoreDbDouble()
  await expect(start(another.url)).rejects.toThrow(
    /medialog: the data folder .*the event log is empty, but the read model .*restore the log of the EventStoreDB server/,
  )
  await another.stop()
  const away = `medialog: EventStoreDB (esdb://127.0.0.1:${another.port}) is unavailable: it cannot be reached`
  await expect(start(another.url)).rejects.toThrow(away)
  await expect(start('esdb://ann:secret@127.0.0.1:2113?tls=perhaps')).rejects.toThrow(
    /medialog: EVENTSTOREDB_URL makes no sense: (?!.*secret)/,
  )
  await start()
  expect(await filenames()).toEqual(['restored.txt'])
})
