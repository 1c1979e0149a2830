import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { startFakeServer, type FakeServer } from './fake-server.ts'
import { KEY, TOKEN } from './wire.ts'
import { startRunner, type Ended } from './medialog.ts'

/** A fake server with three items, a folder of its own, and the command line set to both; for all tests of a file. */
export interface FakeContext {
  server: FakeServer
  folder: string
  env: { [name: string]: string }
  run: (...args: string[]) => Promise<Ended>
  /** Runs with `--json`, expects success, and reads the document. */
  json: (...args: string[]) => Promise<unknown>
}

export function fakeContext(): FakeContext {
  const context = { run, json } as FakeContext
  let runner: ReturnType<typeof startRunner>
  function run(...args: string[]): Promise<Ended> {
    return runner.run({ args, env: context.env, cwd: context.folder })
  }
  async function json(...args: string[]): Promise<unknown> {
    const { stdout, stderr, code } = await run(...args, '--json')
    expect([stderr, code]).toEqual(['', 0])
    return JSON.parse(stdout)
  }
  beforeAll(async () => {
    runner = startRunner()
    context.server = await startFakeServer()
    context.folder = mkdtempSync(join(tmpdir(), 'medialog-cli-'))
    context.env = {
      MEDIALOG_URL: context.server.url,
      MEDIALOG_API_KEY: KEY,
      MEDIALOG_OPERATOR_TOKEN: TOKEN,
      XDG_CONFIG_HOME: context.folder,
    }
    for (const name of ['one', 'two', 'three'])
      writeFileSync(join(context.folder, `${name}.txt`), `text ${name}`)
    await run('upload', 'one.txt', 'two.txt', 'three.txt', '--concurrency', '1')
  })
  afterAll(async () => {
    runner.stop()
    await context.server.close()
    rmSync(context.folder, { recursive: true })
  })
  return context
}
