import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openSecrets } from './secrets.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'medialog-secrets-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('the token is made once, kept for its owner, and everything else follows from it', () => {
  const made = openSecrets(folder, null)
  const path = join(folder, 'secrets', 'operator-token')
  expect(readFileSync(path, 'utf8')).toBe(made.operatorToken)
  expect(statSync(path).mode & 0o077).toBe(0)
  expect(openSecrets(folder, null)).toEqual(made)
  expect(openSecrets('/nowhere', made.operatorToken)).toEqual(made)
  expect(made.positionSecret).toHaveLength(32)
  expect(openSecrets('/nowhere', 'another token than that').positionSecret).not.toEqual(made.positionSecret)
})
