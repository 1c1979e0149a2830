import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SERVER_PROCESS } from '@medialog/cli/server-process'
import { READ_MODELS } from '@medialog/application/ports'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { endedBatch } from '../harness/batches.ts'
import { asAccount, asOperator, type Client } from '../harness/client.ts'
import { medialogOn, ownEnvironment } from '../harness/cli.ts'
import { filesHolding } from '../harness/files.ts'
import { operated } from '../harness/operations.ts'
import { startServer, temporaryDataFolder, type RunningServer } from '../harness/server.ts'
import { expectStatus } from '../harness/expect-status.ts'

let root: Awaited<ReturnType<typeof temporaryDataFolder>>
let original: RunningServer
let client: Client
let apiKey = ''
beforeAll(async () => {
  root = await temporaryDataFolder()
  original = await startServer({ dataFolder: join(root.path, 'data') })
  apiKey = original.apiKey!
  client = asAccount(original.url, apiKey)
})
afterAll(async () => {
  await original.stop()
  await root.remove()
})

const kept = () => join(root.path, 'backup')
const cli = (...words: string[]) => medialogOn(original.dataFolder, ...words)

const wordOf = (n: number) => `wobbegong${n}zephyr`
const textOf = (n: number) => `Minutes of meeting ${n}: everything about ${wordOf(n)} stays in this room.`

async function upload(n: number, fields: Record<string, string> = {}): Promise<string> {
  const { status, body } = await client.upload(`minutes-${wordOf(n)}.txt`, textOf(n), fields)
  expect(status).toBe(200)
  return body.data.media_id
}

/** Another account, with an item and its name of that number. */
async function openedAccount(n: number) {
  const operator = asOperator(original.url, original.operatorToken)
  const opened = await operator.request('POST', '/admin/accounts', { json: { name: wordOf(n), credit: 1 } })
  const path = `/admin/accounts/${opened.body.data.account_id}`
  const key = await operator.request('POST', `${path}/keys`, { json: { label: wordOf(n) } })
  const apiKey: string = key.body.data.api_key
  const { status } = await asAccount(original.url, apiKey).upload(`${wordOf(n)}.txt`, textOf(n))
  expect(status).toBe(200)
  return { apiKey, close: () => operator.request('DELETE', path) }
}

/** What one page lists and the account pays for. */
const MOST_UPLOADS = 80

/** Uploads one file after the other until it is told to stop; answers how many. */
async function load(signal: AbortSignal): Promise<number> {
  let n = 0
  while (!signal.aborted && n < MOST_UPLOADS) await upload(1_000 + n++)
  return n
}

const BATCH = 12

/** Sends files whose work goes on when this has answered. */
async function submitBatch(): Promise<string> {
  const files = Array.from({ length: BATCH }, (_, n) => ({ filename: `b${n}.txt`, bytes: textOf(2_000 + n) }))
  const { status, body } = await client.batch(files)
  expect(status).toBe(200)
  return body.data.batch_id
}

/** Kills a backup (-9) as soon as it has begun to copy. */
async function killBackup(): Promise<void> {
  const runs = join(kept(), 'runs')
  const before = existsSync(runs) ? await readdir(runs) : []
  const options = JSON.stringify({ folder: kept(), keep: 1 })
  const child = spawn(process.execPath, [SERVER_PROCESS.maintenance, 'backup', options], {
    env: { ...ownEnvironment(), MEDIALOG_DATA_DIR: original.dataFolder },
    stdio: 'ignore',
  })
  const exited = once(child, 'exit')
  while (child.exitCode === null) {
    const now = existsSync(runs) ? await readdir(runs) : []
    if (now.some((run) => !before.includes(run))) break
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  child.kill('SIGKILL')
  expect(await exited).toEqual([null, 'SIGKILL'])
}

interface State {
  digests: Record<string, string>
  ids: string[]
  balance: number
}

/** What a service shows, and that each read model is what its log makes. */
async function stateOf(server: RunningServer): Promise<State> {
  const account = asAccount(server.url, apiKey)
  const operator = asOperator(server.url, server.operatorToken)
  const digests: Record<string, string> = {}
  for (const name of READ_MODELS) {
    const { result } = await operated(operator, { kind: 'projections-verify', name })
    expect(result, name).toMatchObject({ identical: true })
    digests[name] = result.digest_in_service
  }
  const { body: listed } = await account.request('GET', '/v1/media?page_size=100')
  const { body: usage } = await account.request('GET', '/v1/usage')
  const ids = listed.data.items.map(({ media_id: id }: { media_id: string }) => id).sort()
  return { digests, ids, balance: usage.data.account_info.balance }
}

async function withRestored(name: string, look: (server: RunningServer) => Promise<void>): Promise<void> {
  const server = await startServer({ dataFolder: join(root.path, name) })
  try {
    await look(server)
  } finally {
    await server.stop()
  }
}

test('a backup that is killed under load leaves the one before, and the last one restores to the same', async () => {
  await upload(1)
  await killBackup()
  expect(existsSync(join(kept(), 'manifest.json'))).toBe(false)
  const none = await cli('restore', kept(), '--data', join(root.path, 'none'), '--without-erasures')
  expect(none).toMatchObject({
    code: 1,
    answer: { error: { message: expect.stringContaining('no manifest') } },
  })

  const loading = new AbortController()
  const loaded = load(loading.signal)
  const batchId = await submitBatch()
  const first = await cli('backup', kept())
  expect(first).toMatchObject({ code: 0, answer: { accounts: 1 } })
  const manifest = await readFile(join(kept(), 'manifest.json'), 'utf8')
  await killBackup()
  loading.abort()
  await endedBatch(client, batchId)
  const items = 1 + BATCH + (await loaded)
  expect(await readFile(join(kept(), 'manifest.json'), 'utf8')).toBe(manifest)

  // As of a moment in the middle of the load: whole, with what was under way then ended and paid back.
  const early = await cli('restore', kept(), '--data', join(root.path, 'early'), '--without-erasures')
  expect(early).toMatchObject({ code: 0, answer: { events: first.answer.events } })
  await withRestored('early', async (server) => {
    const { results } = await endedBatch(asAccount(server.url, apiKey), batchId)
    expect(results.job_results).toHaveLength(BATCH)
    const { ids, balance } = await stateOf(server)
    expect(ids).toHaveLength(first.answer.items)
    expect(balance).toBeCloseTo(10 - 0.04 * ids.length, 9)
  })

  const last = await cli('backup', kept())
  expect(last.answer).toMatchObject({ items })
  expect(last.answer.artifacts.copied).toBeLessThan(last.answer.artifacts.files)
  const restored = await cli('restore', kept(), '--data', join(root.path, 'same'), '--without-erasures')
  expect(restored).toMatchObject({ code: 0, answer: { items, balance_usd: last.answer.balance_usd } })
  const before = await stateOf(original)
  await withRestored('same', async (server) => expect(await stateOf(server)).toEqual(before))
}, 240_000)

test('what was erased after a backup stays erased when it is restored', async () => {
  const alone = await upload(11)
  const together = await upload(12)
  await upload(13, { collection_id: 'doomed' })
  const stays = await upload(14)
  const batched = await client.batch([{ filename: `${wordOf(16)}.txt`, bytes: `All about ${wordOf(16)}.` }])
  const { results } = await endedBatch(client, batched.body.data.batch_id)
  const closed = await openedAccount(15)
  expect((await cli('backup', kept())).code).toBe(0)
  expect((await closed.close()).body.data.payment_status).toBe('closed')
  const receipt = join(root.path, 'receipt.json')
  const deleted = await cli('delete', alone, '--yes', '--receipt', receipt, '--key', apiKey)
  expect(deleted).toMatchObject({ code: 0, answer: { erasure: { status: 'erased' } } })
  await client.request('DELETE', '/v1/media/batch', { json: { media_ids: [together] } })
  await client.request('DELETE', '/v1/media/collections/doomed')
  await client.request('DELETE', `/v1/media/${results.job_results[0].media_id}`)
  const list = join(root.path, 'erasures.json')
  expect(await cli('erasures', 'export', list)).toMatchObject({ code: 0, answer: { items: 5, accounts: 1 } })
  const gone = [11, 12, 13, 16, 15].map(wordOf)
  const ofList = await readFile(list, 'utf8')
  for (const word of [...gone, 'doomed']) expect(ofList).not.toContain(word)
  expect((await filesHolding(kept(), gone)).length).toBeGreaterThan(0)

  const unsaid = await cli('restore', kept(), '--data', join(root.path, 'erased'))
  expect(unsaid).toMatchObject({ code: 2, answer: { error: { code: 'USAGE' } } })
  const words = ['restore', kept(), '--data', join(root.path, 'erased'), '--erasures', list]
  expect(await cli(...words)).toMatchObject({ code: 0, answer: { erased: 5, closed: 1 } })
  // Names of an account that was closed go once a service runs.
  const before = gone.slice(0, -1)
  expect(await filesHolding(join(root.path, 'erased'), before)).toEqual([])
  const { balance, ids } = await stateOf(original)
  await withRestored('erased', async (server) => {
    const restored = await stateOf(server)
    expect([restored.ids, restored.balance]).toEqual([ids, balance])
    expect(ids).toContain(stays)
    const refused = await asAccount(server.url, closed.apiKey).request('GET', '/v1/media')
    expectStatus(refused, 401)
    await vi.waitFor(async () => expect(await filesHolding(server.dataFolder, gone)).toEqual([]), {
      timeout: 60_000,
      interval: 200,
    })
    const operator = asOperator(server.url, server.operatorToken)
    expect(await operated(operator, { kind: 'audit-verify' })).toMatchObject({ result: { intact: true } })
    // The log ends before the receipt's erasure; what that names is still looked for.
    const audited = await medialogOn(server.dataFolder, 'audit', 'erasure', receipt)
    expect(audited).toMatchObject({ code: 0, answer: { intact: true, signature: 'good' } })
    expect(audited.answer.not_recorded).toContain('restored from an earlier state')
  })
  const forgotten = ['restore', kept(), '--data', join(root.path, 'forgotten'), '--without-erasures']
  expect(await cli(...forgotten)).toMatchObject({ code: 0 })
  await withRestored('forgotten', async (server) => {
    const audited = await medialogOn(server.dataFolder, 'audit', 'erasure', receipt)
    expect(audited).toMatchObject({ code: 1, answer: { intact: false, signature: 'good' } })
    const stores = new Set(audited.answer.traces.map(({ store }: { store: string }) => store))
    expect([...stores]).toEqual(expect.arrayContaining(['log', 'read models', 'artifacts']))
  })

  // The backup forgets as well, with the next one.
  await vi.waitFor(async () => expect(await filesHolding(original.dataFolder, gone)).toEqual([]), {
    timeout: 60_000,
    interval: 200,
  })
  expect((await cli('backup', kept())).code).toBe(0)
  expect(await filesHolding(kept(), gone)).toEqual([])
}, 180_000)
