import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openHostId } from './host-id.ts'

test('a folder keeps its id, and no two have the same', () => {
  const [one, other] = ['one', 'other'].map((name) => mkdtempSync(join(tmpdir(), `medialog-${name}-`)))
  const id = openHostId(one!)
  expect(id).toMatch(/^[0-9a-f-]{36}$/)
  expect(openHostId(one!)).toBe(id)
  expect(openHostId(other!)).not.toBe(id)
  expect(statSync(join(one!, 'host-id')).mode & 0o777).toBe(0o600)
  // A start that was cut off before it was written.
  writeFileSync(join(one!, 'host-id'), '')
  expect(readFileSync(join(one!, 'host-id'), 'utf8').trim()).not.toBe(openHostId(one!))
  for (const folder of [one!, other!]) rmSync(folder, { recursive: true })
})
