import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'

const DEMO = new URL('../demo.ts', import.meta.url).pathname

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'medialog-demo-'))
})
afterEach(() => rm(folder, { recursive: true }))

const start = () =>
  spawn(process.execPath, [DEMO], {
    env: { PATH: process.env.PATH, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

test('the demo runs through, plain where there is no terminal, and leaves nothing behind', async () => {
  const demo = start()
  const [output, errors] = await Promise.all([text(demo.stdout), text(demo.stderr), once(demo, 'exit')])
  expect([errors, demo.exitCode]).toEqual(['', 0])
  expect(output).not.toContain('\u001b')
  expect(output).toMatch(/whales-asleep\.md {2}\d\d %/)
  expect(output).toContain('once more: already stored, free')
  expect(output).toContain('It adds up to the cent: $10.00 − 15 × $0.04 = $9.40.')
  expect(await readdir(folder)).toEqual([])
}, 60_000)

test('interrupted, it stops its server and leaves nothing behind', async () => {
  const demo = start()
  const exited = once(demo, 'exit')
  for await (const chunk of demo.stdout) if (String(chunk).includes('ready at')) demo.kill('SIGINT')
  await exited
  expect(demo.exitCode).toBe(130)
  expect(await readdir(folder)).toEqual([])
}, 60_000)
