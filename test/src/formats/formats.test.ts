import { readFile, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { FORMATS } from '@medialog/understanding/formats'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { analyze } from '../contract/plain-requests.ts'
import { fixture, openService, type OpenService } from '../contract/served.ts'
import { endedBatch } from '../harness/batches.ts'
import type { Client } from '../harness/client.ts'
import { lacking } from './facts.ts'
import { formatsPage } from './page.ts'
import { ROWS } from './rows.ts'

const PAGE = new URL('../../../docs/formats.md', import.meta.url)
const MOST_BATCH_FILES = 25

let service: OpenService
let uploading: Client
let batching: Client
let analysing: Client
beforeAll(async () => {
  service = await openService()
  ;[uploading, batching, analysing] = (await Promise.all([1, 2, 3].map(() => service.openAccount(100)))).map(
    ({ client }) => client,
  ) as [Client, Client, Client]
}, 240_000)
afterAll(() => service.close())

/** Samples that were uploaded, formats that were in a batch, extensions under which they were analysed. */
const shown = new Set<string>()

const samples = FORMATS.flatMap(({ name }) =>
  Object.entries(ROWS[name]!.samples).map(([path, facts]) => ({ name, path, facts })),
)
const extensions = FORMATS.flatMap(({ name, mediaType, extensions }) =>
  extensions.map((extension) => ({ name, mediaType, extension, path: Object.keys(ROWS[name]!.samples)[0]! })),
)

test('every format has a row and every row is a format', () => {
  expect(Object.keys(ROWS).sort()).toEqual(FORMATS.map(({ name }) => name).sort())
})

test.each(samples)('uploaded: $path has $facts', async ({ name, path, facts }) => {
  const { status, body } = await uploading.upload(basename(path), await fixture(path))
  expect(status, JSON.stringify(body)).toBe(200)
  const id: string = body.data.media_id
  const read = await uploading.request('GET', `/v1/media/${id}?include_chunks=true`)
  const item = read.body.data
  expect(item.metadata.modality.formatting.original_format).toBe(name)
  expect(item.metadata.search.summary).not.toBe('')
  expect(lacking(item, facts), JSON.stringify(item).slice(0, 3_000)).toEqual([])
  shown.add(path)
})

describe('in batches', () => {
  const firsts = FORMATS.map(({ name }) => ({ name, path: Object.keys(ROWS[name]!.samples)[0]! }))
  const groups = Array.from({ length: Math.ceil(firsts.length / MOST_BATCH_FILES) }, (_, at) =>
    firsts.slice(at * MOST_BATCH_FILES, (at + 1) * MOST_BATCH_FILES),
  )
  test.each(groups.map((group) => [group.map(({ name }) => name).join(' '), group] as const))(
    '%s',
    async (_, group) => {
      const files = await Promise.all(
        group.map(async ({ name, path }) => ({
          filename: `${name}-${basename(path)}`,
          bytes: await fixture(path),
        })),
      )
      const { body } = await batching.batch(files)
      const { results } = await endedBatch(batching, body.data.batch_id)
      expect(
        results.job_results.map((job: { filename: string; status: string }) => [job.filename, job.status]),
      ).toEqual(files.map(({ filename }) => [filename, 'succeeded']))
      for (const { name } of group) shown.add(name)
    },
    240_000,
  )
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
