import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, temporaryDataFolder, type RunningServer } from '../harness/server.ts'
import { describeWithTool } from '../tools.ts'

const PROGRAM = new URL('./go/main.go', import.meta.url)

describeWithTool('oapiCodegen', 'a client in Go, generated from /openapi.json', (generator) => {
  let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
  let server: RunningServer
  let project: string
  beforeAll(async () => {
    folder = await temporaryDataFolder()
    server = await startServer({ dataFolder: folder.path })
    project = mkdtempSync(join(tmpdir(), 'medialog-go-'))
  })
  afterAll(async () => {
    await server.stop()
    await folder.remove()
    rmSync(project, { recursive: true })
  })

  test('compiles, uploads a file and reads it again', async () => {
    const run = (command: string, ...words: string[]): string =>
      execFileSync(command, words, { cwd: project, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
    const document = await fetch(`${server.url}/openapi.json`)
    writeFileSync(join(project, 'openapi.json'), await document.text())
    copyFileSync(PROGRAM, join(project, 'main.go'))
    run(generator, '-generate', 'types,client', '-package', 'main', '-o', 'client.go', 'openapi.json')
    run('go', 'mod', 'init', 'example.test/upload')
    run('go', 'mod', 'tidy')
    run('go', 'build', '-o', 'upload', '.')
    const told = run(
      join(project, 'upload'),
      server.url,
      server.apiKey!,
      'note.txt',
      'The bridge opened in 1940.',
    )
    expect(JSON.parse(told)).toEqual({ media_id: expect.stringMatching(/^doc_/), filename: 'note.txt' })
  }, 300_000)
})
