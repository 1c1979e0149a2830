import { execFile } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openAccount } from '../harness/accounts.ts'
import { asOperator } from '../harness/client.ts'
import { startServer, temporaryDataFolder, type RunningServer } from '../harness/server.ts'
import { describeWithTool } from '../tools.ts'

const PHOTO = new URL('../../fixtures/images/letter_scan.jpg', import.meta.url)
const programOf = (name: string): URL => new URL(name, import.meta.url)

/** What each program is to see: it does the same by a client in its own language. */
const SEEN = {
  cost: 0.04,
  listed: ['photo.jpg', 'note.txt'],
  has_next: [true, false],
  found: ['note.txt'],
  batch: ['completed', 2],
  colors: expect.any(Number),
  wrong: [400, 'INVALID_PARAMETER'],
  missing: [404, 'RESOURCE_NOT_FOUND'],
  balance: 0.84,
}

const LIMIT_MS = 400_000

let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
let server: RunningServer
const projects: string[] = []
beforeAll(async () => {
  folder = await temporaryDataFolder()
  server = await startServer({ dataFolder: folder.path })
})
afterAll(async () => {
  await server.stop()
  await folder.remove()
  for (const project of projects) rmSync(project, { recursive: true })
})

interface Project {
  folder: string
  run: (command: string, words: readonly string[], environment?: Record<string, string>) => Promise<string>
  /** What the program says; it gets an address, the key of an account of its own, and a folder with its files. */
  told: (command: string, words?: readonly string[], environment?: Record<string, string>) => Promise<unknown>
}

/** An empty folder with `openapi.json` as the service answers it. */
async function startProject(name: string): Promise<Project> {
  const project = mkdtempSync(join(tmpdir(), `medialog-${name}-`))
  projects.push(project)
  const document = await fetch(`${server.url}/openapi.json`)
  writeFileSync(join(project, 'openapi.json'), await document.text())
  const files = join(project, 'files')
  mkdirSync(files)
  writeFileSync(join(files, 'note.txt'), 'The bridge opened in 1940.')
  copyFileSync(PHOTO, join(files, 'photo.jpg'))
  const run: Project['run'] = async (command, words, environment = {}) => {
    const options = { cwd: project, env: { ...process.env, ...environment }, timeout: LIMIT_MS }
    return (await promisify(execFile)(command, words, options)).stdout
  }
  return {
    folder: project,
    run,
    async told(command, words = [], environment) {
      const operator = asOperator(server.url, server.operatorToken)
      const { apiKey } = await openAccount(operator, { name, credit: 1 })
      return JSON.parse(await run(command, [...words, server.url, apiKey, files], environment)) as unknown
    },
  }
}

describeWithTool('oapiCodegen', 'a client in Go', (generator) => {
  test(
    'compiles, and does what people do first',
    async () => {
      const { folder: project, run, told } = await startProject('go')
      copyFileSync(programOf('./go/main.go'), join(project, 'main.go'))
      await run(generator, [
        '-generate',
        'types,client',
        '-package',
        'main',
        '-o',
        'client.go',
        'openapi.json',
      ])
      await run('go', ['mod', 'init', 'example.test/program'])
      await run('go', ['mod', 'tidy'])
      await run('go', ['build', '-o', 'program', '.'])
      expect(await told(join(project, 'program'))).toEqual(SEEN)
    },
    LIMIT_MS,
  )
})

describeWithTool('maven', 'a client in Java', (maven) => {
  test(
    'by openapi-generator compiles, and does what people do first',
    async () => {
      const { folder: project, run, told } = await startProject('java')
      cpSync(programOf('./java'), project, { recursive: true })
      const classPath = join(project, 'class-path')
      const listed = ['dependency:build-classpath', `-Dmdep.outputFile=${classPath}`]
      await run(maven, ['-q', '-B', 'compile', ...listed])
      const classes = `${join(project, 'target/classes')}${delimiter}${readFileSync(classPath, 'utf8')}`
      expect(await told('java', ['-cp', classes, 'Program'])).toEqual(SEEN)
    },
    LIMIT_MS,
  )
})

describeWithTool('openapiPython', 'a client in Python', (generator) => {
  test(
    'is generated whole, and does what people do first',
    async () => {
      const { folder: project, run, told } = await startProject('python')
      const said = await run(generator, [
        'generate',
        '--path',
        'openapi.json',
        '--output-path',
        'made',
        '--meta',
        'none',
      ])
      expect(said).not.toContain('Unable to')
      const module = join(project, 'path')
      mkdirSync(module)
      symlinkSync(join(project, 'made'), join(module, 'medialog_client'))
      const words = [programOf('./python/main.py').pathname]
      expect(await told(join(dirname(generator), 'python'), words, { PYTHONPATH: module })).toEqual(SEEN)
    },
    LIMIT_MS,
  )
})

describeWithTool('openapiTypescript', 'clients in TypeScript', (generator) => {
  const programs = dirname(generator)
  /** Checks its types and makes one file of it. */
  async function built({ folder: project, run }: Project, source: string): Promise<string> {
    symlinkSync(dirname(programs), join(project, 'node_modules'))
    copyFileSync(programOf(source), join(project, 'main.ts'))
    const options = ['--strict', '--noEmit', '--skipLibCheck', '--target', 'esnext', '--module', 'esnext']
    const resolution = ['--moduleResolution', 'bundler', '--allowImportingTsExtensions', '--types', 'node']
    await run(join(programs, 'tsc'), [...options, ...resolution, 'main.ts'])
    const bundle = ['--bundle', '--platform=node', '--format=esm', '--outfile=main.mjs']
    await run(join(programs, 'esbuild'), ['main.ts', ...bundle])
    return join(project, 'main.mjs')
  }

  test(
    'by openapi-typescript are typed, and do what people do first',
    async () => {
      const project = await startProject('openapi-typescript')
      await project.run(generator, ['openapi.json', '--default-non-nullable=false', '-o', 'schema.d.ts'])
      const program = await built(project, './typescript/openapi-fetch.ts.txt')
      expect(await project.told(process.execPath, [program])).toEqual(SEEN)
    },
    LIMIT_MS,
  )

  test(
    'by @hey-api/openapi-ts are typed, and do what people do first',
    async () => {
      const project = await startProject('hey-api')
      const words = ['-i', 'openapi.json', '-o', 'hey', '-c', '@hey-api/client-fetch']
      await project.run(join(programs, 'openapi-ts'), words)
      const program = await built(project, './typescript/hey-api.ts.txt')
      expect(await project.told(process.execPath, [program])).toEqual(SEEN)
    },
    LIMIT_MS,
  )
})
