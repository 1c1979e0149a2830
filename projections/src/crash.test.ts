import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openSqliteEventStore } from '@medialog/event-store'
import { expect, test } from 'vitest'
import { startProjections } from './host.ts'
import { createHistory, idOf } from './testing/history.ts'
import { createMemoryArtifacts } from './testing/memory-artifacts.ts'
import { projectedIn, temporaryFolder } from './testing/service.ts'

const ANN = idOf('ann')
const KILLS = 4
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** Lets the writer project until it has said so many positions, then kills it without warning. */
async function projectAndKill(log: string, folder: string, positions: number): Promise<void> {
  const script = join(import.meta.dirname, 'testing/crash-writer.ts')
  const child = spawn(process.execPath, [script, log, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })
  let seen = 0
  for await (const _ of lines) if (++seen >= positions) break
  child.kill('SIGKILL')
  await exited
}

test('killed between and in batches, rows and checkpoint agree with a fresh build', async () => {
  const folder = temporaryFolder()
  const path = join(folder, 'log.sqlite')
  const store = await openSqliteEventStore({ path })
  const artifacts = createMemoryArtifacts()
  const history = createHistory(store, artifacts)
  await history.open(ANN, '1000')
  for (let kill = 1; kill <= KILLS; kill++) {
    for (let item = 0; item < 60; item++) await history.fail(ANN, `${item}.txt`, 'text')
    await projectAndKill(path, folder, kill % 2 === 0 ? 1 : 2)
  }
  const projected = projectedIn(folder).filter(({ projection }) => projection.name !== 'catalog')
  const host = await startProjections(projected, { log: store, artifacts, logger: quiet })
  expect(await host.reached(await store.head(), { timeoutMs: 10_000 })).toBe(true)
  for (const name of ['accounts', 'usage'] as const)
    for (const report of await host.verify(name, () => undefined))
      expect(report).toMatchObject({ identical: true })
  await host.close()
  await store.close()
  rmSync(folder, { recursive: true })
}, 60_000)
