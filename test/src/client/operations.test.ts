import { readFile, writeFile } from 'node:fs/promises'
import type { Operations } from '@medialog/client'
import type { Routes } from '@medialog/contract/http'
import { expect, expectTypeOf, test } from 'vitest'
import type { z } from 'zod'
import { operationsSource } from './operations-source.ts'

const SOURCE = new URL('../../../packages/client/src/operations.ts', import.meta.url)

test('packages/client/src/operations.ts is what the contract says', async () => {
  const source = await operationsSource()
  if (process.env['MEDIALOG_WRITE_CONTRACT']) await writeFile(SOURCE, source)
  expect(await readFile(SOURCE, 'utf8'), '`npm run contract` writes it anew').toBe(source)
})

/** The data of an answer, as the schemas of the contract have it. */
type DataOf<Id extends keyof Routes> =
  z.output<Extract<Routes[Id]['answer'], z.ZodType>> extends { data: infer Data } ? Data : never

test('its types are those of the schemas', () => {
  expectTypeOf<DataOf<'uploadMedia'>>().toExtend<Operations['uploadMedia']['data']>()
  expectTypeOf<DataOf<'listMedia'>>().toExtend<Operations['listMedia']['data']>()
  expectTypeOf<DataOf<'search'>>().toExtend<Operations['search']['data']>()
  expectTypeOf<Operations['search']['data']>().toExtend<DataOf<'search'>>()
  expectTypeOf<Operations['search']['input']>().toExtend<z.input<Routes['search']['body']>>()
})
