import { readFile, rm, writeFile } from 'node:fs/promises'
import { DefaultLogger } from '@temporalio/worker'
import { afterEach, expect, test } from 'vitest'
import { prebuildBundle, workflowBundle } from './bundle.ts'

const logger = new DefaultLogger('ERROR')
let path: string | null = null
afterEach(async () => {
  if (path !== null) await rm(path)
})

test('a bundle that was built beforehand is used only where it is of these sources', async () => {
  path = await prebuildBundle(logger)
  const prebuilt = await readFile(path, 'utf8')
  expect((await workflowBundle(logger)).code).toBe(prebuilt)
  await writeFile(path, prebuilt.replace(/^\/\/ \w{64}/, `// ${'0'.repeat(64)}`))
  const { code } = await workflowBundle(logger)
  expect(code).not.toMatch(/^\/\/ 0{64}/)
  for (const workflow of ['ingestUpload', 'endIngest', 'workOffBatch']) expect(code).toContain(workflow)
})
