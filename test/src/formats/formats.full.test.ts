import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { FORMATS } from '@medialog/understanding/formats'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { analyze } from '../contract/plain-requests.ts'
import { fixture, openService, type OpenService } from '../contract/served.ts'
import { endedBatch } from '../harness/batches.ts'
import { asAccount, type Answer, type Client } from '../harness/client.ts'
import { filesIn } from '../harness/files.ts'
import { startServer, temporaryDataFolder, type RunningServer } from '../harness/server.ts'
import { expectFacts, firsts, further, itemOf, others, uploaded } from './samples.ts'

const MOST_BATCH_FILES = 25

/** Uploads and analyses. */
let service: OpenService
let client: Client
/** Another service, in another process: what it keeps of the same files in batches must be the same. */
let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
let other: RunningServer
let batching: Client
/** Items of uploads, by path of their file. */
const items = new Map<string, Answer['body']>()
beforeAll(async () => {
  folder = await temporaryDataFolder()
  other = await startServer({ dataFolder: folder.path })
  batching = asAccount(other.url, other.apiKey!)
  service = await openService()
  client = (await service.openAccount(100)).client
  for (const { path } of firsts) items.set(path, await uploaded(client, path))
}, 240_000)
afterAll(async () => {
  await service.close()
  await other.stop()
  await folder.remove()
})

const extensions = FORMATS.flatMap(({ name, mediaType, extensions }, at) =>
  extensions.map((extension) => ({ name, mediaType, extension, path: firsts[at]!.path })),
)

/** The item without fields that differ each time. */
const timeless = (item: object): unknown =>
  JSON.parse(
    JSON.stringify(item, (key, value: unknown) =>
      /^(?:id|media_id|processed_at|created_at|processing_info)$/.test(key) ? undefined : value,
    ),
  )

async function digestsIn(dataFolder: string): Promise<string[]> {
  const artifacts = join(dataFolder, 'artifacts/')
  const files = await Promise.all((await filesIn(artifacts)).map((path) => readFile(join(artifacts, path))))
  return files.map((bytes) => createHash('sha256').update(bytes).digest('hex')).sort()
}

describe('in batches of another process', () => {
  const groups = Array.from({ length: Math.ceil(firsts.length / MOST_BATCH_FILES) }, (_, at) =>
    firsts.slice(at * MOST_BATCH_FILES, (at + 1) * MOST_BATCH_FILES).map(({ path }) => path),
  )
  test.each(groups.map((group) => [group.join(' '), group] as const))(
    '%s',
    async (_, group) => {
      const sent = await Promise.all(
        group.map(async (path) => ({ filename: basename(path), bytes: await fixture(path) })),
      )
      const { body } = await batching.batch(sent)
      const { results } = await endedBatch(batching, body.data.batch_id)
      const jobs: { filename: string; status: string; media_id: string }[] = results.job_results
      expect(jobs.map(({ filename, status }) => [filename, status])).toEqual(
        sent.map(({ filename }) => [filename, 'succeeded']),
      )
      for (const [at, path] of group.entries()) {
        const item = await itemOf(batching, jobs[at]!.media_id)
        expect(timeless(item), path).toEqual(timeless(items.get(path)))
      }
    },
    240_000,
  )

  test('the files that both keep are the same', async () => {
    const digests = await digestsIn(folder.path)
    // Words and vectors; of a video its pictures too.
    const videos = firsts.filter(({ path }) => path.startsWith('video/'))
    expect(videos.length).toBeGreaterThan(0)
    expect(digests).toHaveLength(2 * firsts.length + videos.length)
    expect(await digestsIn(service.folder)).toEqual(digests)
  })
})

test.each(extensions)('analysed: $path as .$extension', async ({ name, mediaType, extension, path }) => {
  const { status, body } = await analyze(
    client,
    { query: 'What is this?', response_format: 'json' },
    { filename: `sample.${extension}`, bytes: await fixture(path) },
  )
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body.data.media_info).toMatchObject({ format: name, media_type: mediaType })
  expect(body.data.analysis.summary).not.toBe('')
})

test.each(firsts)('uploaded as the first of its format: $path has $facts', (sample) => {
  expectFacts(items.get(sample.path), sample)
})

test.each(further)('uploaded: $path has $facts', async (sample) => {
  expectFacts(await uploaded(client, sample.path), sample)
})

test.each(others)('uploaded: %s', async (path) => {
  expect((await uploaded(client, path)).metadata.search.summary).not.toBe('')
})
