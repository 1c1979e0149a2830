import { generateKeyPairSync } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig, startService } from '@medialog/server'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { note } from '../contract/served.ts'
import { medialog } from '../harness/cli.ts'
import { asAccount, asOperator, connect } from '../harness/client.ts'
import { expectStatus } from '../harness/expect-status.ts'
import { startHeldServer } from '../harness/held-socket.ts'
import { temporaryDataFolder } from '../harness/server.ts'

let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
beforeEach(async () => {
  folder = await temporaryDataFolder()
})
afterEach(() => folder.remove())

const FIRST = { MEDIALOG_OPERATOR_TOKEN: 'the first operator token' }
const SECOND = { MEDIALOG_OPERATOR_TOKEN: 'the second operator token' }

async function start(settings: NodeJS.ProcessEnv) {
  const service = await startService(
    readConfig({ PORT: '0', MEDIALOG_DATA_DIR: folder.path, MEDIALOG_LOG_LEVEL: 'silent', ...settings }),
  )
  return { ...service, [Symbol.asyncDispose]: () => service.close() }
}

test('places of a feed outlive the operator’s token and, named as the former one, the key of positions', async () => {
  let apiKey: string
  let place: string
  {
    await using service = await start(FIRST)
    apiKey = /mlk_\w+/.exec(service.greeting)![0]
    const uploaded = await asAccount(service.url, apiKey).upload('a.txt', note())
    expectStatus(uploaded, 200)
    place = uploaded.headers.get('x-position')!
  }
  const seen = async (url: string) => {
    const { status, body } = await asAccount(url, apiKey).request('GET', '/v1/media', {
      headers: { 'x-min-position': place },
    })
    return status === 200 ? 200 : body.message
  }
  {
    await using service = await start(SECOND)
    expect(await seen(service.url)).toBe(200)
    const asked = (token: string) => asOperator(service.url, token).request('GET', '/admin/accounts')
    expectStatus(await asked(SECOND.MEDIALOG_OPERATOR_TOKEN), 200)
    expectStatus(await asked(FIRST.MEDIALOG_OPERATOR_TOKEN), 401)
  }
  const kept = await readFile(join(folder.path, 'secrets', 'position-key'), 'utf8')
  const key = { MEDIALOG_POSITION_KEY: 'a key that was made elsewhere' }
  {
    await using service = await start({ ...SECOND, ...key, MEDIALOG_FORMER_POSITION_KEY: kept })
    expect(await seen(service.url)).toBe(200)
  }
  {
    await using service = await start({ ...SECOND, ...key })
    expect(await seen(service.url)).toMatch(/given before the service replaced its key of positions/)
  }
})

/** As docs/rotation.md has it, each after the other. */
test(
  'secrets are replaced under load, by key, token and signature, and no request is lost',
  { timeout: 240_000 },
  async () => {
    const own: Record<string, string> = { ...FIRST, MEDIALOG_RATE_LIMITS: 'standard=1000000' }
    await using held = await startHeldServer(own)
    const operator = () => ({ url: held.url, operatorToken: own['MEDIALOG_OPERATOR_TOKEN']! })
    const said = async (...words: string[]) => {
      const { code, answer } = await medialog(operator(), ...words)
      expect({ code, ...(code !== 0 && answer) }).toEqual({ code: 0 })
      return answer
    }
    /** With a connection each: none is kept that a restart closes while a request is on its way. */
    const client = (key: string) => connect(held.url, { 'x-api-key': key, connection: 'close' })
    let { apiKey } = held
    const first = await client(apiKey).upload('first.txt', note())
    const place = first.headers.get('x-position')!
    const erasable = await client(apiKey).upload('erasable.txt', note())
    const receipt = join(folder.path, 'receipt.json')
    const removed = await medialog(
      operator(),
      'delete',
      erasable.body.data.media_id,
      '--yes',
      '--key',
      apiKey,
      '--receipt',
      receipt,
    )
    expect(removed.code).toBe(0)
    const checkpoint = join(folder.path, 'checkpoint.txt')
    await said('audit', 'checkpoint', '--out', checkpoint)

    const refused: string[] = []
    let [answered, over] = [0, false]
    const loop = async (ask: () => Promise<{ status: number; body: unknown }>) => {
      for (; !over; await sleep(100)) {
        const { status, body } = await ask().catch((error: unknown) => ({ status: 0, body: String(error) }))
        answered++
        if (status !== 200) refused.push(`${status} ${JSON.stringify(body)}`)
      }
    }
    const load = [
      loop(() => client(apiKey).upload('note.txt', note())),
      loop(() => client(apiKey).request('GET', '/v1/media', { headers: { 'x-min-position': place } })),
      loop(() => client(apiKey).request('GET', '/v1/usage')),
    ]
    onTestFinished(async () => {
      over = true
      await Promise.all(load)
    })
    const goesOn = async () => {
      const before = answered
      await expect.poll(() => answered - before, { timeout: 60_000 }).toBeGreaterThan(20)
      expect(refused).toEqual([])
    }

    // The key of a client: both are valid while it goes from one to the other.
    const [{ key_id: keyId }] = (await said('keys', 'list', 'dev')).keys
    const rotated = await said('keys', 'rotate', 'dev', keyId, '--grace', '3')
    await goesOn()
    const old = apiKey
    apiKey = rotated.api_key
    await expect
      .poll(async () => (await client(old).request('GET', '/v1/usage')).status, { timeout: 60_000 })
      .toBe(401)
    await goesOn()

    // The operator's token.
    Object.assign(own, SECOND)
    await held.restart(own)
    await goesOn()
    const asked = (token: string) => asOperator(held.url, token).request('GET', '/admin/accounts')
    expectStatus(await asked(FIRST.MEDIALOG_OPERATOR_TOKEN), 401)
    await said('accounts', 'list')

    // The key of positions: clients ask on with a place that the former one sealed.
    own['MEDIALOG_FORMER_POSITION_KEY'] = await readFile(
      join(held.dataFolder, 'secrets', 'position-key'),
      'utf8',
    )
    own['MEDIALOG_POSITION_KEY'] = 'a key that was made elsewhere'
    await held.restart(own)
    await goesOn()

    // The key that signs, and at last without the former one.
    const signed = await said('audit', 'key')
    own['MEDIALOG_CHECKPOINT_KEY'] = generateKeyPairSync('ed25519')
      .privateKey.export({ format: 'der', type: 'pkcs8' })
      .toString('base64')
    own['MEDIALOG_FORMER_CHECKPOINT_KEY'] = join(held.dataFolder, 'secrets', 'checkpoint-key.pem')
    await held.restart(own)
    await said('audit', 'checkpoint')
    expect((await said('audit', 'key')).former_keys).toEqual([signed.key])
    delete own['MEDIALOG_FORMER_CHECKPOINT_KEY']
    await held.restart(own)
    await goesOn()
    expect((await said('audit', 'key')).former_keys).toEqual([signed.key])
    expect(await said('audit', 'verify', '--checkpoint', checkpoint)).toMatchObject({ result: { found: 0 } })
    expect(await said('audit', 'erasure', receipt)).toMatchObject({ intact: true, signature: 'good' })
  },
)
