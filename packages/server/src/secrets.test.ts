import { hkdfSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openSecrets, secretFile } from './secrets.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'medialog-secrets-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const NONE = { operatorToken: null, positionKey: null, formerPositionKey: null, roles: null }
const open = (settings: Partial<Parameters<typeof openSecrets>[0]> = {}) =>
  openSecrets({ ...NONE, dataFolder: folder, ...settings })

test('secrets are made once, and kept for their owner', () => {
  const made = open()
  expect(made.positionSecrets).toEqual([expect.objectContaining({ length: 32 })])
  for (const name of ['operator-token', 'position-key'] as const)
    expect(statSync(secretFile(folder, name)).mode & 0o077).toBe(0)
  expect(readFileSync(secretFile(folder, 'operator-token'), 'utf8')).toBe(made.operatorToken)
  expect(open()).toEqual(made)
})

test.each([
  'a token of sixteen characters',
  // As 32 random bytes are often written.
  'q3Zt0fJ8yWm2x1c4v5b6n7a8s9d0f1g2h3j4k5l6z7x',
])('positions of an earlier release stay known, and when the token changes (%s)', (operatorToken) => {
  const ofEarlierRelease = Buffer.from(hkdfSync('sha256', operatorToken, '', 'medialog positions', 32))
  expect(open({ operatorToken }).positionSecrets).toEqual([ofEarlierRelease])
  expect(open({ operatorToken: 'another token than that' }).positionSecrets).toEqual([ofEarlierRelease])
})

test('a former position key is known beside the present one: the kept one, or the token of several processes', () => {
  const [kept] = open().positionSecrets
  const key = { positionKey: 'a key of sixteen characters' }
  const former = { formerPositionKey: readFileSync(secretFile(folder, 'position-key'), 'utf8') }
  const [present, ...others] = open({ ...key, ...former }).positionSecrets
  expect(present).not.toEqual(kept)
  expect(others).toEqual([kept])

  const shared = { dataFolder: '/nowhere', roles: ['api'] as const }
  const token = 'a token of sixteen characters'
  const before = open({ ...shared, operatorToken: token }).positionSecrets
  const after = open({
    ...shared,
    ...key,
    operatorToken: 'another token than that',
    formerPositionKey: token,
  })
  expect(after.positionSecrets).toEqual([present, ...before])
})

test('a secret that is empty is refused: it would be everybody’s', () => {
  open()
  writeFileSync(secretFile(folder, 'operator-token'), '\n')
  expect(() => open()).toThrow(/operator-token is empty: restore it from a backup, or delete it/)
})
