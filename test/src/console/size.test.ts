import { readConsole } from '@medialog/console'
import { beforeAll, expect, test } from 'vitest'
import { buildConsole } from './browser.ts'

beforeAll(buildConsole)

test('all of the console has at most 250 kB compressed, and the scripts of the library 110 kB', async () => {
  const files = [...(await readConsole())!]
  const sizeOf = (names: typeof files): number => names.reduce((sum, [, { br }]) => sum + br.length, 0)
  expect(sizeOf(files)).toBeLessThan(250_000)
  const page = files.find(([name]) => name === 'index.html')![1].identity.toString()
  const first = files.filter(([name]) => name.endsWith('.js') && page.includes(name))
  expect(first.length).toBeGreaterThan(1)
  expect(sizeOf(first)).toBeLessThan(110_000)
})

test('its pages load nothing from other origins', async () => {
  const named = [...(await readConsole())!].filter(([name]) => /\.(html|css)$/.test(name))
  expect(named.length).toBeGreaterThan(1)
  for (const [name, { identity }] of named)
    expect(identity.toString(), name).not.toMatch(/(?:src|href)="(?!\/console\/)|url\((?!["']?\/console\/)/)
})
