import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, temporaryDataFolder, type RunningServer } from '../harness/server.ts'
import { describeWithTool } from '../tools.ts'

const SOURCE = fileURLToPath(new URL('../../../clients/python/', import.meta.url))

describeWithTool('pythonClient', 'the client in Python', (python) => {
  let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
  let server: RunningServer
  let work: string
  beforeAll(async () => {
    folder = await temporaryDataFolder()
    server = await startServer({ dataFolder: folder.path })
    work = mkdtempSync(join(tmpdir(), 'medialog-python-'))
  })
  afterAll(async () => {
    await server.stop()
    await folder.remove()
    rmSync(work, { recursive: true })
  })

  const run = (command: string, words: string[], { cwd = SOURCE, env = {} } = {}): string =>
    execFileSync(command, words, {
      cwd,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], PYTHONDONTWRITEBYTECODE: '1', ...env },
    })

  test('is what the contract says', () => {
    expect(run(python, ['generate.py', '--check'])).toBe('')
  })

  test('passes its own tests, and its types are whole', () => {
    const environment = { PYTHONPATH: join(SOURCE, 'src') }
    const tested = run(python, ['-m', 'pytest', '-q', '-p', 'no:cacheprovider'], { env: environment })
    expect(tested).toMatch(/ passed in /)
    expect(run(python, ['-m', 'mypy', '--cache-dir', work])).toContain('Success')
  })

  test('a wheel in an empty environment uploads, searches, follows, asks and deletes', () => {
    run(python, ['-m', 'build', '--wheel', '--outdir', work, '.'])
    const empty = join(work, 'empty')
    run(python, ['-m', 'venv', empty])
    const own = join(empty, 'bin', 'python')
    run(own, ['-m', 'pip', 'install', '-q', '--no-compile', join(work, 'medialog-0.2.0-py3-none-any.whl')])
    const env = { MEDIALOG_URL: server.url, MEDIALOG_API_KEY: server.apiKey! }
    expect(run(own, [join(SOURCE, 'tests', 'use_service.py'), work], { cwd: work, env })).toBe('done\n')
  }, 300_000)
})
