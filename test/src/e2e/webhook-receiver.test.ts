import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createInterface } from 'node:readline'
import { openSending } from '@medialog/messaging/testing/webhooks'
import { settled } from '@medialog/messaging/testing/log'
import { expect, onTestFinished, test, vi } from 'vitest'
import { expectStatus } from '../harness/expect-status.ts'

const PAGE = new URL('../../../docs/webhooks.md', import.meta.url)
const MODULES = new URL('../../../node_modules', import.meta.url).pathname
const LONG = { timeout: 60_000, interval: 25 }

test('the receiver in docs/webhooks.md keeps each event once, and nothing that is not signed', async () => {
  await using sending = await openSending()
  const folder = await mkdtemp(join(tmpdir(), 'medialog-receiver-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const [, code] = /```js\n(.*?)```/s.exec(await readFile(PAGE, 'utf8'))!
  await writeFile(join(folder, 'receiver.mjs'), code!)
  await symlink(MODULES, join(folder, 'node_modules'))
  sending.start()
  // Its address is known once it listens, its secret before.
  const { webhookId, secret } = await sending.add('http://127.0.0.1:9/')
  const child = spawn(process.execPath, ['receiver.mjs'], {
    cwd: folder,
    env: { ...process.env, PORT: '0', MEDIALOG_WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  const url = `http://127.0.0.1:${/listening at (\d+)/.exec(line)![1]}/`
  await sending.execute({ type: 'ChangeWebhook', webhookId, url, at: Date.now() })
  const [first, second] = await sending.happen(`ledger-${sending.accountId}`, settled('a'), settled('b'))
  const kept = () => {
    using database = new DatabaseSync(join(folder, 'events.sqlite'), { readOnly: true })
    return database.prepare('SELECT id, type, data FROM events ORDER BY rowid').all()
  }
  await vi.waitFor(() => expect(kept()).toHaveLength(2), LONG)
  await sending.execute({ type: 'RewindWebhook', webhookId, after: 0, at: Date.now() })
  await sending.happen(`ledger-${sending.accountId}`, settled('c'))
  await vi.waitFor(() => expect(kept()).toHaveLength(3), LONG)
  expect(kept().map(({ id }) => id)).toEqual([first, second, expect.any(String)])
  expect(kept()[0]).toMatchObject({
    type: 'medialog.ChargeSettled',
    data: JSON.stringify({ chargeId: 'a', at: 1 }),
  })
  const headers = {
    'webhook-id': 'x',
    'webhook-timestamp': `${Math.floor(Date.now() / 1000)}`,
    'webhook-signature': 'v1,AAAA',
  }
  const forged = await fetch(url, { method: 'POST', headers, body: '{"id":"x","type":"y"}' })
  expectStatus(forged, 401)
  expect(kept()).toHaveLength(3)
})
