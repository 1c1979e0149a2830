import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { balanceOf } from '../faults/killable.ts'
import { temporaryDataFolder } from '../harness/server.ts'
import { useServer } from '../harness/suite.ts'
import { rowsIn } from './rows.ts'
import { expectStatus } from '../harness/expect-status.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })
const LONG = { timeout: 120_000, interval: 50 }
const PAGE = new URL('../../../docs/feed.md', import.meta.url)

const server = useServer()

test('the consumer in docs/feed.md counts every cent once, whenever it or the service is killed', async () => {
  const folder = await temporaryDataFolder()
  onTestFinished(() => folder.remove())
  const [, code] = /```js\n(.*?)```/s.exec(await readFile(PAGE, 'utf8'))!
  await writeFile(join(folder.path, 'balance.mjs'), code!)
  const database = join(folder.path, 'balance.sqlite')
  const { apiKey } = server.running
  const start = () => {
    const child = spawn(process.execPath, ['balance.mjs'], {
      cwd: folder.path,
      env: { PATH: process.env.PATH, MEDIALOG_URL: server.running.url, MEDIALOG_API_KEY: apiKey! },
      stdio: 'ignore',
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    return child
  }
  const sums = () => rowsIn(database, 'SELECT name, nano_usd FROM sums')
  const sumOf = (type: string) => sums().find(({ name }) => name === `medialog.${type}`)?.['nano_usd'] ?? 0
  const counted = () => Number(rowsIn(database, 'SELECT count(*) AS count FROM seen')[0]?.['count'] ?? 0)
  const search = async () => {
    const json = { query: 'the sea', type: 'advanced' }
    expectStatus(await server.client.request('POST', '/v1/search', { json }), 200)
  }

  let consumer = start()
  for (let kill = 0; kill < 3; kill++) {
    const before = counted()
    for (let n = 0; n < 4; n++) await search()
    await vi.waitUntil(() => counted() > before, LONG)
    consumer.kill('SIGKILL')
    await once(consumer, 'exit')
    if (kill === 1) await server.killAndRestart()
    consumer = start()
  }
  await server.client.upload('sea.txt', 'A note on the sea.')
  const balance = await balanceOf(server.client)
  const expected = () =>
    Number(sumOf('BalanceCredited')) - Number(sumOf('BalanceCharged')) + Number(sumOf('BalanceRefunded'))
  await vi.waitFor(() => expect(expected()).toBe(balance), LONG)
  expect(Number(sumOf('BalanceRefunded'))).toBeGreaterThan(0)
})
