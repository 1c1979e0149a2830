import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkpointKeyIn, openCheckpointKey } from '@medialog/server/checkpoint-key'
import { expect, onTestFinished, test } from 'vitest'
import { infraPath } from './folder.ts'

test('make-env writes a secret of its own behind every name, for its owner only, and once', () => {
  const folder = mkdtempSync(join(tmpdir(), 'medialog-env-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const name of ['make-env', 'env.example']) copyFileSync(infraPath(name), join(folder, name))
  const written = (): string => {
    execFileSync('sh', [join(folder, 'make-env')], { stdio: 'ignore' })
    return readFileSync(join(folder, '.env'), 'utf8')
  }
  const first = written()
  const secrets = Array.from(first.matchAll(/^[A-Z]\w+=(.*)$/gm), ([, secret]) => secret!)
  expect(secrets.length).toBeGreaterThan(6)
  const [key, ...words] = secrets.toSorted((a, b) => b.length - a.length)
  expect(first).toContain(`\nMEDIALOG_CHECKPOINT_KEY=${key}\n`)
  expect(openCheckpointKey({ dataFolder: folder, checkpointKey: checkpointKeyIn(key!) })).toBeDefined()
  // In an address each of the others stands as it is.
  for (const word of words) expect(word).toMatch(/^[\da-f]{48}$/)
  expect(new Set(secrets).size).toBe(secrets.length)
  expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600)
  expect(written()).toBe(first)
})
