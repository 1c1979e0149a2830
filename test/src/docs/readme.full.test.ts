import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { endedBatch } from '../harness/batches.ts'
import { asAccount } from '../harness/client.ts'
import { useServer } from '../harness/suite.ts'
import { paste, shellBlocks, type Place } from './pasting.ts'

vi.setConfig({ testTimeout: 300_000 })
const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const server = useServer()

/** The commands of the README's first block that holds `mark`, one an entry. */
function commands(mark: string): string[] {
  return shellBlocks(readFileSync(join(ROOT, 'README.md'), 'utf8'))
    .find((block) => block.includes(mark))!
    .replaceAll('\\\n', '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('export '))
}

let place: Place
beforeAll(async () => {
  const home = await mkdtemp(join(tmpdir(), 'medialog-readme-'))
  place = { server: server.running, apiKey: server.running.apiKey!, cwd: ROOT, home }
})
afterAll(() => rm(place.home, { recursive: true }))

test('the requests of the README are answered as pasted', async () => {
  const requests = commands('curl')
  expect(requests.length).toBeGreaterThan(6)
  for (const request of requests) {
    const answer = JSON.parse(await paste(request, place)) as {
      success: boolean
      data: { batch_id?: string; response?: string }
    }
    expect(answer.success, request).toBe(true)
    const { batch_id: batch, response } = answer.data
    // What comes next asks about what the batch stores.
    if (batch) await endedBatch(asAccount(place.server.url, place.apiKey), batch)
    if (request.includes('/v1/ai/query')) expect(response).toContain('[1]')
  }
})

async function anItem(): Promise<string> {
  const listed = await paste('npm run --silent medialog -- list --json', place)
  return (JSON.parse(listed) as { items: { media_id: string }[] }).items[0]!.media_id
}

test('the commands of the README do what they say', async () => {
  const lines = commands('medialog -- upload')
  expect(lines.length).toBeGreaterThan(10)
  for (const line of lines) {
    const said = await paste(line.includes('doc_…') ? line.replace('doc_…', await anItem()) : line, place)
    expect(said, line).not.toBe('')
    if (line.includes('-- ask')) expect(said).toContain('[1]')
  }
})
