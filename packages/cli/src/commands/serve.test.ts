import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { medialog } from '../testing/medialog.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'medialog-serve-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

test('serve --check says a line for each check, for programs one document, and whether all is well', async () => {
  const asked = ['serve', '--check', '--data-dir', join(folder, 'data')]
  const fine = await medialog(asked, { env: { PORT: '0' } })
  expect(fine).toMatchObject({ code: 0, stderr: '' })
  expect(fine.stdout).toMatch(
    /^✓ settings +they make sense .*\n✓ ports .*\n✓ data folder +\S+data will be made\n/,
  )
  const refused = await medialog([...asked, '--role', 'api,worker', '--json'], { env: {} })
  expect(refused.code).toBe(1)
  expect(JSON.parse(refused.stdout)).toEqual({
    ok: false,
    checks: [{ name: 'settings', ok: false, detail: expect.stringContaining('api, worker') as string }],
  })
})

test('serve refuses a role that there is none of', async () => {
  const refused = await medialog(['serve', '--role', 'api,queen'], { env: {} })
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toContain("--role must be of api, worker, projections, publisher, not 'queen'.")
})
