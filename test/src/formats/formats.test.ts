import { readFile, writeFile } from 'node:fs/promises'
import { FORMATS } from '@medialog/understanding/formats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openService, type OpenService } from '../contract/served.ts'
import type { Client } from '../harness/client.ts'
import { formatsPage } from './page.ts'
import { ROWS } from './rows.ts'
import { expectFacts, ofEachKind, uploaded } from './samples.ts'

const PAGE = new URL('../../../docs/formats.md', import.meta.url)

let service: OpenService
let client: Client
beforeAll(async () => {
  service = await openService()
  client = (await service.openAccount(100)).client
}, 240_000)
afterAll(() => service.close())

test('every format has a row and every row is a format', () => {
  expect(Object.keys(ROWS).sort()).toEqual(FORMATS.map(({ name }) => name).sort())
})

test.each(ofEachKind)('uploaded: $path has $facts', async (sample) => {
  expectFacts(await uploaded(client, sample.path), sample)
})

test('docs/formats.md is what these tests made', async () => {
  const page = formatsPage()
  if (process.env['MEDIALOG_WRITE_FORMATS']) await writeFile(PAGE, page)
  expect(await readFile(PAGE, 'utf8'), '`npm run formats` writes it anew').toBe(page)
})
