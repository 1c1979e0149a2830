import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { endedBatch } from '../harness/batches.ts'
import { asAccount } from '../harness/client.ts'
import { useServer } from '../harness/suite.ts'

vi.setConfig({ testTimeout: 300_000 })
const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const server = useServer()

/** The commands of the block below a heading of the README that holds `mark`, one an entry. */
function commands(mark: string): string[] {
  const blocks = readFileSync(join(ROOT, 'README.md'), 'utf8').matchAll(/^```sh\n(.*?)^```$/gms)
  const block = Array.from(blocks, ([, text]) => text!).find((text) => text.includes(mark))!
  return block
    .replaceAll('\\\n', '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('export '))
}

let home: string
let apiKey: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'medialog-readme-'))
  apiKey = server.running.apiKey!
})
afterAll(() => rm(home, { recursive: true }))

/** As in a shell in the project's folder, next to this server in place of the one at port 8080. */
async function paste(command: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    'sh',
    ['-ec', command.replaceAll('http://127.0.0.1:8080', server.running.url)],
    {
      cwd: ROOT,
      maxBuffer: 64 * 1024 * 1024,
      env: {
        PATH: `${join(process.execPath, '..')}:${process.env['PATH']}`,
        HOME: home,
        XDG_CONFIG_HOME: home,
        MEDIALOG_URL: server.running.url,
        MEDIALOG_API_KEY: apiKey,
        MEDIALOG_OPERATOR_TOKEN: server.running.operatorToken,
      },
    },
  )
  return stdout
}

test('the requests of the README are answered as pasted', async () => {
  const requests = commands('curl')
  expect(requests.length).toBeGreaterThan(6)
  for (const request of requests) {
    const answer = JSON.parse(await paste(request)) as {
      success: boolean
      data: { batch_id?: string; response?: string }
    }
    expect(answer.success, request).toBe(true)
    const { batch_id: batch, response } = answer.data
    // What comes next asks about what the batch stores.
    if (batch) await endedBatch(asAccount(server.running.url, apiKey), batch)
    if (request.includes('/v1/ai/query')) expect(response).toContain('[1]')
  }
})

test('the commands of the README do what they say', async () => {
  const lines = commands('medialog -- upload')
  expect(lines.length).toBeGreaterThan(10)
  for (const line of lines) {
    const items = JSON.parse(await paste('npm run --silent medialog -- list --json')) as {
      items: { media_id: string }[]
    }
    const said = await paste(line.replace('doc_…', items.items[0]!.media_id))
    expect(said, line).not.toBe('')
    if (line.includes('-- ask')) expect(said).toContain('[1]')
  }
})
