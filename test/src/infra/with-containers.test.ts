import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { ENGINES } from '../engines.ts'
import { composeFile } from './folder.ts'

const RUN = fileURLToPath(new URL('../../containers/run.ts', import.meta.url))

/** Notes what it is asked, and does as Docker would on a machine on which all goes well. */
const DOCKER = `#!/bin/sh
echo "$*" >>"$ASKED"
case "$*" in
  *" port "*) for port; do :; done; echo "127.0.0.1:3$port" ;;
  *" up "*) exit "\${UP:-0}" ;;
esac
`

interface Ended {
  code: number
  stdout: string
  stderr: string
  /** What Docker was asked. */
  asked: string[]
}

async function withContainers(command: string[], { docker = DOCKER, up = 0 } = {}): Promise<Ended> {
  const folder = mkdtempSync(join(tmpdir(), 'medialog-docker-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [asked, program] = [join(folder, 'asked'), join(folder, 'docker')]
  writeFileSync(asked, '')
  writeFileSync(program, docker)
  chmodSync(program, 0o755)
  const env = { PATH: `${folder}:/usr/bin:/bin`, ASKED: asked, UP: String(up) }
  const { promise, resolve } = Promise.withResolvers<Omit<Ended, 'asked'>>()
  execFile(process.execPath, [RUN, ...command], { env }, (error, stdout, stderr) =>
    resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
  )
  const ended = await promise
  return { ...ended, asked: readFileSync(asked, 'utf8').trim().split('\n') }
}

test('a command gets the address of every engine, and its exit code is handed on', async () => {
  const { code, stdout, asked } = await withContainers(['sh', '-c', 'env; exit 7'])
  expect(code).toBe(7)
  const environment = Object.fromEntries(
    stdout.split('\n').map((line) => line.split(/=(.*)/s) as [string, string]),
  )
  expect(environment).toMatchObject({
    EVENTSTOREDB_URL: 'esdb://127.0.0.1:32113?tls=false',
    ELASTICSEARCH_URL: 'http://127.0.0.1:39200',
    TEMPORAL_ADDRESS: '127.0.0.1:37233',
    S3_URL: 'http://127.0.0.1:37070',
    REDIS_URL: 'redis://127.0.0.1:36379',
  })
  // All but scripts that start servers of a test's own.
  for (const { variable } of Object.values(ENGINES))
    if (variable !== 'ENGINES_SCRIPTS') expect(environment).toHaveProperty(variable)
  const started = asked.find((line) => line.includes(' up '))!
  for (const service of ['eventstoredb', 'elasticsearch', 'temporal', 'kafka', 's3', 'valkey']) {
    expect(started).toContain(` ${service}`)
    expect(composeFile('compose.yaml').services).toHaveProperty(service)
  }
  expect(asked.at(-1)).toMatch(/ down --volumes/)
})

test("a signal is the command's, and what was started is taken away after it", async () => {
  const script = `process.on('SIGTERM', () => process.exit(5)); process.kill(process.ppid, 'SIGTERM'); setInterval(() => {}, 1e3)`
  const { code, asked } = await withContainers([process.execPath, '-e', script])
  expect(code).toBe(5)
  expect(asked.at(-1)).toMatch(/ down --volumes/)
})

test('what was started is taken away where engines do not come up', async () => {
  const { code, stderr, stdout, asked } = await withContainers(['echo', 'never'], { up: 1 })
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain('docker compose up failed')
  expect(asked.at(-1)).toMatch(/ down --volumes/)
})

test('a machine without Docker is told so', async () => {
  const none = await withContainers(['true'], { docker: '#!/bin/sh\nexit 1\n' })
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('there is no Docker with Compose')])
  const silent = await withContainers(['true'], {
    docker: '#!/bin/sh\n[ "$1" = info ] || exit 0\necho "is the daemon running?" >&2\nexit 1\n',
  })
  expect([silent.code, silent.stderr]).toEqual([1, expect.stringContaining('is the daemon running?')])
})
