import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createStreams, newId, SYSTEM } from '@medialog/application'
import { openSqliteEventStore } from '@medialog/event-store'
import { systemClock, usd, type Uuid } from '@medialog/kernel'
import { readConfig, startService, type Service } from '@medialog/server'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openAccount } from '../harness/accounts.ts'
import { asAccount, asOperator } from '../harness/client.ts'
import { expectStatus } from '../harness/expect-status.ts'
import { temporaryDataFolder } from '../harness/server.ts'

const OPERATOR_TOKEN = 'a-token-for-the-tests'
let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
let service: Service | null
beforeEach(async () => {
  folder = await temporaryDataFolder()
  service = await start()
})
afterEach(async () => {
  await service?.close()
  await folder.remove()
})

const start = () =>
  startService(
    readConfig({
      PORT: '0',
      MEDIALOG_DATA_DIR: folder.path,
      MEDIALOG_OPERATOR_TOKEN: OPERATOR_TOKEN,
      MEDIALOG_LOG_LEVEL: 'silent',
    }),
  )

/** What a crash leaves of an upload that was claimed and charged. */
async function leaveUpload(accountId: Uuid): Promise<void> {
  const log = await openSqliteEventStore({ path: join(folder.path, 'log', 'events.sqlite') })
  const streams = createStreams(log, systemClock)
  const by = { ...SYSTEM, accountId }
  const [jobId, mediaId] = [newId(), newId()]
  const at = Date.now()
  const claim = { accountId, ingestId: jobId, jobId, batchId: null, sha256: 'a'.repeat(64), at }
  const command = { type: 'ClaimIngest', ...claim, overwrite: false, dead: null } as const
  await streams.execute('media', mediaId, command, by)
  const lines = [{ price: 'DOCUMENT_PROCESSING', amount: usd('0.04') }]
  const cause = { operation: 'upload', requestId: jobId, jobId, mediaId }
  await streams.execute('ledger', accountId, { type: 'Charge', chargeId: jobId, lines, cause, at }, by)
  await log.close()
}

const client = (apiKey: string) => asAccount(service!.url, apiKey)
const balance = async (apiKey: string): Promise<number> =>
  (await client(apiKey).request('GET', '/v1/usage')).body.data.account_info.balance

test('one account’s broken folder and stray staged files delay no refund and no start', async () => {
  const open = (name: string) => openAccount(asOperator(service!.url, OPERATOR_TOKEN), { name, credit: 1 })
  const [broken, other] = [await open('broken'), await open('other')]
  const text = 'It is stored before the folder breaks, and deleted after.'
  const { body } = await client(broken.apiKey).upload('a.txt', text)
  const { body: others } = await client(other.apiKey).upload('a.txt', text)
  await service!.close()
  service = null
  for (const { accountId } of [broken, other]) await leaveUpload(accountId)
  const artifacts = join(folder.path, 'artifacts', broken.accountId)
  await rm(artifacts, { recursive: true })
  await writeFile(artifacts, 'a file where a folder was')
  const staging = join(folder.path, 'staging')
  await mkdir(join(staging, 'lost+found'))
  await mkdir(join(staging, newId()))

  service = await start()
  expect([await balance(broken.apiKey), await balance(other.apiKey)]).toEqual([0.96, 0.96])
  expect(await readdir(staging)).toEqual(['lost+found'])
  const status = async () => (await client(other.apiKey).request('GET', '/v1/status')).body.data.status
  expect(await status()).toBe('degraded')
  // What the one deletes cannot be erased; what the other does is.
  expectStatus(await client(broken.apiKey).request('DELETE', `/v1/media/${body.data.media_id}`), 200)
  expectStatus(await client(other.apiKey).request('DELETE', `/v1/media/${others.data.media_id}`), 200)
  const folders = async () => readdir(join(folder.path, 'artifacts'))
  await vi.waitFor(async () => expect(await folders()).not.toContain(other.accountId), { timeout: 30_000 })
  expectStatus(await client(broken.apiKey).upload('a.txt', 'Another text, which cannot be kept.'), 503)
  expect(await balance(broken.apiKey)).toBe(0.96)
  expectStatus(await client(other.apiKey).upload('a.txt', 'Another text, which can be kept.'), 200)

  await rm(artifacts)
  await vi.waitFor(async () => expect(await status()).toBe('operational'), { timeout: 30_000 })
})
