import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import packageJson from '../../../package.json' with { type: 'json' }

const MAIN = new URL('../../../packages/server/src/main.ts', import.meta.url).pathname
/** As `npm start` has it: `NAME=value exec node --flag … packages/server/src/main.ts`. */
const [, SETTINGS, FLAGS] = /^((?:\w+=\S+ )*)exec node ((?:--\S+ )*)/.exec(packageJson.scripts.start)!

export interface RunningServer {
  url: string
  pid: number
  /** Printed at the first start with an empty data folder only. */
  apiKey: string | null
  dataFolder: string
  operatorToken: string
  /** Everything it wrote to standard error. */
  errors(): string
  /** kill -9, resolving once it is gone. */
  kill(): Promise<void>
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>
}

export interface ServerOptions {
  dataFolder: string
  env?: Record<string, string>
  /** Another entry than packages/server's own. */
  entry?: string
  readyWithinMs?: number
  /** Run as this user: for root alone. */
  uid?: number
}

/** A data folder of its own, removed by `remove`. */
export async function temporaryDataFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'medialog-test-'))
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 3 }) }
}

/** Starts the server as a process of its own on a free port; resolves once it says that it is ready. */
export async function startServer({
  dataFolder,
  env = {},
  entry = MAIN,
  readyWithinMs = 60_000,
  uid,
}: ServerOptions): Promise<RunningServer> {
  const child = spawn(process.execPath, [...words(FLAGS!), entry], {
    env: {
      ...Object.fromEntries(words(SETTINGS!).map((setting) => setting.split('='))),
      PATH: process.env.PATH,
      PORT: '0',
      MEDIALOG_DATA_DIR: dataFolder,
      // Tests ask again and again how far something is: on a slow machine more often than a minute allows.
      MEDIALOG_RATE_LIMITS: 'standard=1000000',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid !== undefined && { uid, gid: uid }),
  })
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  const { url, apiKey } = await readiness(child, readyWithinMs, () => errors)
  const exited = once(child, 'exit')
  return {
    url,
    pid: child.pid!,
    apiKey,
    dataFolder,
    operatorToken: (await readFile(join(dataFolder, 'secrets', 'operator-token'), 'utf8')).trim(),
    errors: () => errors,
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
    async stop() {
      child.kill('SIGTERM')
      await exited
      return child.exitCode
    },
  }
}

const words = (text: string): string[] => text.split(' ').filter(Boolean)

/** Reads standard output up to the line that names the address. Rejects with what it said when it ends before. */
function readiness(
  child: ChildProcess,
  withinMs: number,
  errors: () => string,
): Promise<{ url: string; apiKey: string | null }> {
  return new Promise((resolve, reject) => {
    let apiKey: string | null = null
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`not ready within ${withinMs} ms: ${errors()}`))
    }, withinMs)
    child.once('exit', (code, signal) => {
      clearTimeout(timer)
      reject(new Error(`ended before it was ready (${code ?? signal}): ${errors()}`))
    })
    createInterface(child.stdout!).on('line', (line) => {
      apiKey ??= /API key: (mlk_\S+)/.exec(line)?.[1] ?? null
      const url = /ready at (http:\S+)/.exec(line)?.[1]
      if (!url) return
      clearTimeout(timer)
      resolve({ url, apiKey })
    })
  })
}
