import { globSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { FORMATS } from '@medialog/understanding/formats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fixture, openService, type OpenService } from '../contract/served.ts'
import type { Answer, Client } from '../harness/client.ts'
import { expectStatus } from '../harness/expect-status.ts'
import { lacking } from './facts.ts'
import { formatsPage } from './page.ts'
import { ROWS } from './rows.ts'
import { itemOf, samples } from './samples.ts'

const FIXTURES = fileURLToPath(new URL('../../fixtures', import.meta.url))
const PAGE = new URL('../../../docs/formats.md', import.meta.url)

let service: OpenService
let client: Client
beforeAll(async () => {
  service = await openService()
  client = (await service.openAccount(100)).client
}, 240_000)
afterAll(() => service.close())

/** Other files that can be read; `hostile` ones are refused, `sample.mtl` belongs to another file. */
const others = globSync('*/*', { cwd: FIXTURES })
  .filter((path) => !path.startsWith('hostile') && !path.endsWith('.mtl'))
  .filter((path) => !samples.some((sample) => sample.path === path))
  .sort()

async function upload(path: string): Promise<Answer['body']> {
  const answer = await client.upload(basename(path), await fixture(path))
  expectStatus(answer, 200)
  return itemOf(client, answer.body.data.media_id)
}

test('every format has a row and every row is a format', () => {
  expect(Object.keys(ROWS).sort()).toEqual(FORMATS.map(({ name }) => name).sort())
})

test.each(samples)('uploaded: $path has $facts', async ({ name, path, facts }) => {
  const item = await upload(path)
  expect(item.metadata.modality.formatting.original_format).toBe(name)
  expect(item.metadata.search.summary).not.toBe('')
  expect(lacking(item, facts), JSON.stringify(item).slice(0, 3_000)).toEqual([])
})

test.each(others)('uploaded: %s', async (path) => {
  expect((await upload(path)).metadata.search.summary).not.toBe('')
})

test('docs/formats.md is what these tests made', async () => {
  const page = formatsPage()
  if (process.env['MEDIALOG_WRITE_FORMATS']) await writeFile(PAGE, page)
  expect(await readFile(PAGE, 'utf8'), '`npm run formats` writes it anew').toBe(page)
})
