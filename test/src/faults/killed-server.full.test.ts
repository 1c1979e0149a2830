import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { startServer } from '../harness/server.ts'
import { useKillable } from './killable.ts'
import { batchDies, batchOf, diesAndRecovers, expectRecovery } from './killed-batch.ts'
import { uploadAndDie } from './killed-upload.ts'

// Every point is tried inside one process, in ../crashes. A real kill shows what only it can: locks and files half written.
const killable = useKillable()

test('kill -9 in an upload leaves it stored and charged, or absent and refunded', async () => {
  for (const point of [2, 5, 9]) expect(await uploadAndDie(killable, point, 'after')).toBe(true)
}, 300_000)

test.each([false, true])(
  'kill -9 in a batch leaves it to go on; cancelled: %s',
  async (cancels) => {
    for (const point of [4, 12, 20]) expect(await diesAndRecovers(killable, point, cancels)).toBe(true)
  },
  300_000,
)

test('a second kill -9, while the first is recovered from, changes nothing', async () => {
  const batch = { name: 'twice', key: { 'idempotency-key': 'twice' }, cancels: false }
  expect(await batchDies(killable, 15, batch)).toBe(true)
  // It dies before it is ready, or while the batch goes on.
  const second = await killable.doom(3, 'after', { fromStart: true }).catch(() => null)
  if (second) {
    await batchOf(second.client, batch).catch(() => undefined)
    await second.server.kill()
  }
  await expectRecovery(killable, batch)
}, 300_000)

test('kill -9 once it is ready leaves what Node compiled, for the next start', async () => {
  const compiled = join(killable.folder, 'compiled')
  const kept = async (): Promise<number> => (await readdir(compiled, { recursive: true })).length
  const dataFolder = join(killable.folder, 'other')
  const server = await startServer({ dataFolder, env: { NODE_COMPILE_CACHE: compiled } })
  await vi.waitFor(async () => expect(await kept()).toBeGreaterThan(100), { timeout: 30_000 })
  await server.kill()
})
