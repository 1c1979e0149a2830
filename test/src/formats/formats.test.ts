import { createHash } from 'node:crypto'
import { globSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { FORMATS } from '@medialog/understanding/formats'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { analyze } from '../contract/plain-requests.ts'
import { fixture, openService, type OpenService } from '../contract/served.ts'
import { endedBatch } from '../harness/batches.ts'
import { asAccount, type Answer, type Client } from '../harness/client.ts'
import { expectStatus } from '../harness/expect-status.ts'
import { filesIn } from '../harness/files.ts'
import { startServer, temporaryDataFolder, type RunningServer } from '../harness/server.ts'
import { lacking } from './facts.ts'
import { formatsPage } from './page.ts'
import { ROWS } from './rows.ts'

const FIXTURES = fileURLToPath(new URL('../../fixtures', import.meta.url))
const PAGE = new URL('../../../docs/formats.md', import.meta.url)
const MOST_BATCH_FILES = 25

/** Uploads and analyses. */
let service: OpenService
let uploading: Client
let analysing: Client
/** Another service, in another process: what it keeps of the same files in batches must be the same. */
let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
let other: RunningServer
let batching: Client
beforeAll(async () => {
  folder = await temporaryDataFolder()
  other = await startServer({ dataFolder: folder.path })
  batching = asAccount(other.url, other.apiKey!)
  service = await openService()
  const [one, two] = await Promise.all([service.openAccount(100), service.openAccount(100)])
  uploading = one.client
  analysing = two.client
}, 240_000)
afterAll(async () => {
  await service.close()
  await other.stop()
  await folder.remove()
})

/** Samples that were uploaded, formats that were in a batch, extensions under which they were analysed. */
const shown = new Set<string>()

const samples = FORMATS.flatMap(({ name }) =>
  Object.entries(ROWS[name]!.samples).map(([path, facts]) => ({ name, path, facts })),
)
/** Other files that can be read; `hostile` ones are refused, `sample.mtl` belongs to another file. */
const others = globSync('*/*', { cwd: FIXTURES })
  .filter((path) => !path.startsWith('hostile') && !path.endsWith('.mtl'))
  .filter((path) => !samples.some((sample) => sample.path === path))
  .sort()
const firstSampleOf = (format: string): string => Object.keys(ROWS[format]!.samples)[0]!
const firsts = FORMATS.map(({ name }) => firstSampleOf(name))
const extensions = FORMATS.flatMap(({ name, mediaType, extensions }) =>
  extensions.map((extension) => ({ name, mediaType, extension, path: firstSampleOf(name) })),
)

async function itemOf(client: Client, id: string): Promise<Answer['body']> {
  return (await client.request('GET', `/v1/media/${id}?include_vectors=true&include_chunks=true`)).body.data
}
/** The item without fields that differ each time. */
const timeless = (item: object): unknown =>
  JSON.parse(
    JSON.stringify(item, (key, value: unknown) =>
      /^(?:id|media_id|processed_at|created_at|processing_info)$/.test(key) ? undefined : value,
    ),
  )
/** Items of uploads, by path of their file. */
const uploaded = new Map<string, Answer['body']>()

async function upload(path: string): Promise<Answer['body']> {
  const answer = await uploading.upload(basename(path), await fixture(path))
  expectStatus(answer, 200)
  const item = await itemOf(uploading, answer.body.data.media_id)
  uploaded.set(path, item)
  return item
}

async function digestsIn(dataFolder: string): Promise<string[]> {
  const artifacts = join(dataFolder, 'artifacts/')
  const files = await Promise.all((await filesIn(artifacts)).map((path) => readFile(join(artifacts, path))))
  return files.map((bytes) => createHash('sha256').update(bytes).digest('hex')).sort()
}

test('every format has a row and every row is a format', () => {
  expect(Object.keys(ROWS).sort()).toEqual(FORMATS.map(({ name }) => name).sort())
})

test.each(samples)('uploaded: $path has $facts', async ({ name, path, facts }) => {
  const item = await upload(path)
  expect(item.metadata.modality.formatting.original_format).toBe(name)
  expect(item.metadata.search.summary).not.toBe('')
  expect(lacking(item, facts), JSON.stringify(item).slice(0, 3_000)).toEqual([])
  shown.add(path)
})

test.each(others)('uploaded: %s', async (path) => {
  expect((await upload(path)).metadata.search.summary).not.toBe('')
})

describe('in batches of another process', () => {
  const groups = Array.from({ length: Math.ceil(firsts.length / MOST_BATCH_FILES) }, (_, at) =>
    firsts.slice(at * MOST_BATCH_FILES, (at + 1) * MOST_BATCH_FILES),
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
        expect(timeless(item), path).toEqual(timeless(uploaded.get(path)))
        shown.add(item.metadata.modality.formatting.original_format)
      }
    },
    240_000,
  )

  test('the files that both keep are the same', async () => {
    const digests = await digestsIn(folder.path)
    // Words and vectors; of a video its pictures too.
    const videos = firsts.filter((path) => path.startsWith('video/'))
    expect(videos.length).toBeGreaterThan(0)
    expect(digests).toHaveLength(2 * firsts.length + videos.length)
    expect(await digestsIn(service.folder)).toEqual(expect.arrayContaining(digests))
  })
})

test.each(extensions)('analysed: $path as .$extension', async ({ name, mediaType, extension, path }) => {
  const { status, body } = await analyze(
    analysing,
    { query: 'What is this?', response_format: 'json' },
    { filename: `sample.${extension}`, bytes: await fixture(path) },
  )
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body.data.media_info).toMatchObject({ format: name, media_type: mediaType })
  expect(body.data.analysis.summary).not.toBe('')
  shown.add(`.${extension}`)
})

test('docs/formats.md is what these tests made', async () => {
  const page = formatsPage(shown)
  if (process.env['MEDIALOG_WRITE_FORMATS']) await writeFile(PAGE, page)
  expect(page).not.toContain('NOT SHOWN')
  expect(await readFile(PAGE, 'utf8'), '`npm run formats` writes it anew').toBe(page)
})
