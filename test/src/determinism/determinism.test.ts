import { createHash } from 'node:crypto'
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { asAccount, type Client } from '../harness/client.ts'
import { filesIn } from '../harness/files.ts'
import { startServer, temporaryDataFolder } from '../harness/server.ts'

const FIXTURES = fileURLToPath(new URL('../../fixtures', import.meta.url))

/** Sample files that can be read, by path; `hostile` ones are refused, `sample.mtl` belongs to another file. */
const SAMPLES = globSync('*/*', { cwd: FIXTURES })
  .filter((path) => !path.startsWith('hostile') && !path.endsWith('.mtl'))
  .sort()

interface Server {
  client: Client
  artifacts: string
}

async function open(): Promise<Server> {
  const folder = await temporaryDataFolder()
  onTestFinished(() => folder.remove())
  const running = await startServer({ dataFolder: folder.path })
  onTestFinished(async () => void (await running.stop()))
  return { client: asAccount(running.url, running.apiKey!), artifacts: join(folder.path, 'artifacts') }
}

/** What an answer says of a file, without what is made anew each time. */
const timeless = (item: object): unknown =>
  JSON.parse(
    JSON.stringify(item, (key, value: unknown) =>
      /^(?:id|media_id|processed_at|created_at|processing_info)$/.test(key) ? undefined : value,
    ),
  )

async function keptOf({ client, artifacts }: Server): Promise<{ answers: unknown[]; digests: string[] }> {
  const answers: unknown[] = []
  for (const name of SAMPLES) {
    const { status, body } = await client.uploadFile(join(FIXTURES, name))
    expect(status, JSON.stringify(body)).toBe(200)
    const id: string = body.data.media_id
    const read = await client.request('GET', `/v1/media/${id}?include_vectors=true&include_chunks=true`)
    answers.push(timeless(read.body.data))
  }
  const files = await filesIn(`${artifacts}/`)
  const digests = await Promise.all(
    files.map(async (path) =>
      createHash('sha256')
        .update(await readFile(join(artifacts, path)))
        .digest('hex'),
    ),
  )
  return { answers, digests: digests.sort() }
}

test('two servers, each with an account of its own, keep and answer the same of every sample file', async () => {
  const servers = [await open(), await open()]
  const [one, other] = await Promise.all(servers.map(keptOf))
  // Words and vectors; of a video its pictures too.
  const videos = SAMPLES.filter((name) => name.startsWith('video/'))
  expect(videos.length).toBeGreaterThan(0)
  expect(one!.digests).toHaveLength(2 * SAMPLES.length + videos.length)
  expect(other!.digests).toEqual(one!.digests)
  expect(other!.answers).toEqual(one!.answers)
}, 900_000)
