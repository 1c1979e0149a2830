import { readFile, writeFile } from 'node:fs/promises'
import type { Operations } from '@medialog/client'
import type { Routes } from '@medialog/contract/http'
import { expect, expectTypeOf, test } from 'vitest'
import type { z } from 'zod'
import { clientContract } from './client-contract.ts'
import { operationsSource } from './operations-source.ts'

const SOURCE = new URL('../../../packages/client/src/operations.ts', import.meta.url)

const PYTHON = new URL('../../../clients/python/contract.json', import.meta.url)

async function expectFile(file: URL, content: string): Promise<void> {
  if (process.env['MEDIALOG_WRITE_CONTRACT']) await writeFile(file, content)
  expect(await readFile(file, 'utf8'), '`npm run contract` writes it anew').toBe(content)
}

test('packages/client/src/operations.ts is what the contract says', async () => {
  await expectFile(SOURCE, await operationsSource())
})

test('so is clients/python/contract.json', async () => {
  await expectFile(PYTHON, `${JSON.stringify(clientContract())}\n`)
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
