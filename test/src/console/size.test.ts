import { readConsole } from '@medialog/console'
import { beforeAll, expect, test } from 'vitest'
import { buildConsole } from './browser.ts'

beforeAll(buildConsole)

test('all of the console has at most 250 kB compressed, and what comes first 170 kB', async () => {
  const files = [...(await readConsole())!]
  const sizeOf = (names: readonly (readonly [string, { gzip: Buffer }])[]): number =>
    names.reduce((sum, [, { gzip }]) => sum + gzip.length, 0)
  expect(sizeOf(files)).toBeLessThan(250_000)
  const page = files.find(([name]) => name === 'index.html')![1].identity.toString()
  expect(sizeOf(files.filter(([name]) => name === 'index.html' || page.includes(name)))).toBeLessThan(170_000)
})

test('its pages load nothing from other origins', async () => {
  const named = [...(await readConsole())!].filter(([name]) => /\.(html|css)$/.test(name))
  expect(named.length).toBeGreaterThan(1)
  for (const [name, { identity }] of named)
    expect(identity.toString(), name).not.toMatch(/(?:src|href)="(?!\/console\/)|url\((?!["']?\/console\/)/)
})
