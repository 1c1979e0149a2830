import { afterEach, beforeEach, expect, test } from 'vitest'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readConfig, startService } from '@medialog/server'
import { note } from '../contract/served.ts'
import { asAccount, asOperator } from '../harness/client.ts'
import { expectStatus } from '../harness/expect-status.ts'
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
