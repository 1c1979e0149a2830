import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { anyEvent } from '@medialog/contract/events/testing/arbitraries'
import { publishedPayload } from '@medialog/contract/events/published'
import type { DomainEvent } from '@medialog/domain'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { publishedTypes } from './schemas.ts'

const FOLDER = new URL('../../../docs/events/', import.meta.url)
const PAGE = new URL('../../../docs/events.md', import.meta.url)
const types = publishedTypes()

test('docs/events holds the schemas of what is published, as they are now', async () => {
  if (process.env['MEDIALOG_WRITE_EVENTS']) {
    for (const file of await readdir(FOLDER)) await rm(new URL(file, FOLDER))
    for (const { file, schema } of types) await writeFile(new URL(file, FOLDER), schema)
  }
  const files = (await readdir(FOLDER)).toSorted()
  expect(files, '`npm run events` writes them anew').toEqual(types.map(({ file }) => file).toSorted())
  for (const { file, schema } of types)
    expect(await readFile(new URL(file, FOLDER), 'utf8'), '`npm run events` writes it anew').toBe(schema)
})

test.each(types)('what is published of $type is what its schema says', ({ type, publication, schema }) => {
  const described = z.fromJSONSchema(JSON.parse(schema) as Parameters<typeof z.fromJSONSchema>[0])
  fc.assert(
    fc.property(anyEvent[type] as fc.Arbitrary<DomainEvent>, (event) => {
      expect(described.safeParse(publishedPayload(publication, event)).error).toBeUndefined()
    }),
    { numRuns: 25 },
  )
  expect(described.safeParse({ at: 'noon' }).success).toBe(false)
})

test('docs/events.md has a row of every type, on its topic, with its schema', async () => {
  const rows = (await readFile(PAGE, 'utf8')).matchAll(/^\| \[`(\w+)`\]\(events\/(\S+)\) \| `(\w+)` \|/gm)
  expect(Array.from(rows, ([, type, file, topic]) => ({ type, file, topic }))).toEqual(
    types.map(({ type, file, publication: { topic } }) => ({ type, file, topic })),
  )
})
