import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { newId, READ_MODELS } from '@medialog/application'
import { encodeEvent } from '@medialog/contract'
import { openSqliteEventStore } from '@medialog/event-store'
import type { LogPosition } from '@medialog/kernel'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { foldersIn } from './folders.ts'
import { startProjectionsThread } from './projections.ts'

let dataFolder: string
let threads: Worker[]
const onWorker = (thread: Worker): void => {
  if (thread.threadName === 'projections') threads.push(thread)
}
beforeEach(() => {
  dataFolder = mkdtempSync(join(tmpdir(), 'medialog-projections-thread-'))
  threads = []
  process.on('worker', onWorker)
})
afterEach(() => {
  process.off('worker', onWorker)
  rmSync(dataFolder, { recursive: true })
})

vi.setConfig({ testTimeout: 180_000 })
const LONG = { timeout: 60_000, interval: 20 }

async function start() {
  const store = await openSqliteEventStore({ path: foldersIn(dataFolder).log })
  const deaths: unknown[] = []
  const projections = await startProjectionsThread(
    {
      dataFolder,
      eventStoreDb: null,
      elasticsearch: null,
      hostId: 'a host',
      bucket: null,
      sharedFolder: null,
      logLevel: 'silent',
    },
    (error) => deaths.push(error),
  )
  return {
    projections,
    deaths,
    openAccount: async (): Promise<LogPosition> => {
      const accountId = newId()
      const event = encodeEvent({
        type: 'AccountOpened',
        accountId,
        name: 'ann',
        tier: 'free',
        at: 1,
      } as const)
      const metadata = { timestamp: new Date(0).toISOString(), actor: 'system' }
      const { position } = await store.append(`account-${accountId}`, 'no-stream', [
        { id: newId(), ...event, metadata },
      ])
      return position
    },
    close: async () => {
      await projections.close()
      await store.close()
    },
  }
}

test('a thread that dies is started again, visibly, and nothing is lost', async () => {
  const { projections, deaths, openAccount, close } = await start()
  expect(await projections.reached(await openAccount())).toBe(true)
  for (let death = 1; death <= 4; death++) {
    await threads.at(-1)!.terminate()
    const position = await openAccount()
    await vi.waitFor(() => expect(deaths).toHaveLength(death), LONG)
    // Whoever waits is told at once; whoever asks hears that nobody is there, until somebody is.
    await vi.waitFor(
      async () => expect(await projections.reached(position, { timeoutMs: 1_000 })).toBe(true),
      LONG,
    )
    expect(await projections.status()).toHaveLength(READ_MODELS.length)
  }
  expect(threads).toHaveLength(5)
  await close()
})

test('while it is away nothing is reached and status fails; closing then waits for nothing', async () => {
  const { projections, deaths, close } = await start()
  // The sixth death within a minute is followed by a pause of four seconds.
  for (let death = 1; death <= 6; death++) {
    await vi.waitFor(() => projections.status(), LONG)
    await threads.at(-1)!.terminate()
    await vi.waitFor(() => expect(deaths).toHaveLength(death), LONG)
  }
  await expect(projections.status()).rejects.toThrow('not running')
  expect(await projections.reached(1_000_000)).toBe(false)
  await close()
  expect(threads).toHaveLength(6)
})
