import { readFile, writeFile } from 'node:fs/promises'
import { DefaultLogger } from '@temporalio/worker'
import { afterEach, expect, test } from 'vitest'
import { prebuildBundle, workflowBundle } from './bundle.ts'

const logger = new DefaultLogger('ERROR')
// Where there was one it is to stay: workers that other tests start begin with it.
afterEach(() => prebuildBundle(logger))

test('a bundle that was built beforehand is used only where it is of these sources', async () => {
  const path = await prebuildBundle(logger)
  const prebuilt = await readFile(path, 'utf8')
  expect((await workflowBundle(logger)).code).toBe(prebuilt)
  await writeFile(path, prebuilt.replace(/^\/\/ \w{64}/, `// ${'0'.repeat(64)}`))
  const { code } = await workflowBundle(logger)
  expect(code).not.toMatch(/^\/\/ 0{64}/)
  for (const workflow of ['upload', 'endUpload', 'batch'])
    expect(code.includes(`async function ${workflow}(`), workflow).toBe(true)
})
