import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { SERVER_PROCESS } from '@medialog/cli/server-process'

export interface RunningProcess {
  /** Of the service or, without an API, of its health and metrics. */
  url: string
  pid: number
  /** Printed at the first start with an empty data folder only. */
  apiKey: string | null
  /** Everything it wrote to standard error. */
  errors(): string
  /** Resolves once it is gone, whatever ended it. */
  exited: Promise<unknown>
  /** kill -9, resolving once it is gone. */
  kill(): Promise<void>
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>
}

export interface ProcessOptions {
  /** As `--role` has it; all of them, alone, unless named. */
  roles?: string
  env?: Record<string, string>
  /** Another entry than packages/server's own. */
  entry?: string
  readyWithinMs?: number
  /** Run as this user: for root alone. */
  uid?: number
}

/** Starts a process of the service on free ports; resolves once it says that it is ready. */
export async function startProcess({
  roles,
  env = {},
  entry = SERVER_PROCESS.main,
  readyWithinMs = 60_000,
  uid,
}: ProcessOptions): Promise<RunningProcess> {
  const words = [...SERVER_PROCESS.flags, entry, ...(roles === undefined ? [] : ['--role', roles])]
  const child = spawn(process.execPath, words, {
    env: {
      ...SERVER_PROCESS.env,
      PATH: process.env.PATH,
      PORT: '0',
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
    errors: () => errors,
    exited,
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
      const url = /ready at (http:[^\s,]+)/.exec(line)?.[1]
      if (!url) return
      clearTimeout(timer)
      resolve({ url, apiKey })
    })
  })
}
