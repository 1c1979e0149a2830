import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asAccount, type Client } from '../harness/client.ts'
import { filesIn } from '../harness/files.ts'
import { startServer, temporaryDataFolder } from '../harness/server.ts'
import { digestOf, sampleFiles, samplePath } from './digests.ts'

const SCRIPT = new URL('digests.ts', import.meta.url).pathname

async function inProcessOfItsOwn(): Promise<Record<string, string[]>> {
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT], { maxBuffer: 10_000_000 })
  return JSON.parse(stdout) as Record<string, string[]>
}

test('two processes make the same bytes of every sample file', async () => {
  const [first, second] = [await inProcessOfItsOwn(), await inProcessOfItsOwn()]
  expect(Object.keys(first)).toEqual(sampleFiles())
  expect(second).toEqual(first)
  // Words and vectors; of a video its pictures too.
  for (const [name, digests] of Object.entries(first))
    expect(digests, name).toHaveLength(name.startsWith('video/') ? 3 : 2)
}, 300_000)

interface Server {
  client: Client
  artifacts: string
  close: () => Promise<void>
}

async function open(): Promise<Server> {
  const folder = await temporaryDataFolder()
  const running = await startServer({ dataFolder: folder.path })
  return {
    client: asAccount(running.url, running.apiKey!),
    artifacts: join(folder.path, 'artifacts'),
    async close() {
      await running.stop()
      await folder.remove()
    },
  }
}

let servers: Server[] = []
beforeAll(async () => {
  servers = [await open(), await open()]
}, 240_000)
afterAll(() => Promise.all(servers.map((server) => server.close())))

/** What an answer says of a file, without what is made anew each time. */
const timeless = (item: object): unknown =>
  JSON.parse(
    JSON.stringify(item, (key, value: unknown) =>
      /^(?:id|media_id|processed_at|created_at|processing_info)$/.test(key) ? undefined : value,
    ),
  )

async function keptOf({ client, artifacts }: Server): Promise<{ answers: unknown[]; digests: string[] }> {
  const answers: unknown[] = []
  for (const name of sampleFiles()) {
    const { status, body } = await client.uploadFile(samplePath(name))
    expect(status, JSON.stringify(body)).toBe(200)
    const id: string = body.data.media_id
    const read = await client.request('GET', `/v1/media/${id}?include_vectors=true&include_chunks=true`)
    answers.push(timeless(read.body.data))
  }
  const files = await filesIn(`${artifacts}/`)
  const digests = await Promise.all(
    files.map(async (path) => digestOf(await readFile(join(artifacts, path)))),
  )
  return { answers, digests: digests.sort() }
}

test('two servers, each with an account of its own, keep and answer the same', async () => {
  const [one, other] = [await keptOf(servers[0]!), await keptOf(servers[1]!)]
  expect(one.digests.length).toBeGreaterThanOrEqual(2 * sampleFiles().length)
  expect(other.digests).toEqual(one.digests)
  expect(other.answers).toEqual(one.answers)
}, 300_000)
