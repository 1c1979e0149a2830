import { fork, spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { SERVER_PROCESS } from '../server-process.ts'

const MAIN = new URL('../main.ts', import.meta.url).pathname
const RUNNER = new URL('./runner.ts', import.meta.url)
/** Node keeps what it compiles: without, each command line takes twice the processor time. */
const COMPILED = { NODE_COMPILE_CACHE: SERVER_PROCESS.env['NODE_COMPILE_CACHE'] }
const ENVIRONMENT = { PATH: process.env['PATH']!, XDG_CONFIG_HOME: '/nonexistent', TZ: 'UTC' }

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

/** What a runner is sent. */
export interface CommandLine {
  args: readonly string[]
  env: { [name: string]: string }
  cwd: string
}

export interface RunOptions {
  env?: { [name: string]: string }
  cwd?: string
}

type Child = ChildProcessByStdio<null, Readable, Readable>

/** Starts the real command line as a process of its own; no setting of this machine reaches it. */
export function start(
  args: readonly string[],
  { env = {}, cwd }: RunOptions = {},
): { child: Child; ended: Promise<Ended> } {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd,
    env: { ...ENVIRONMENT, ...COMPILED, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit')
  const output = Promise.allSettled([text(child.stdout), text(child.stderr)])
  const ended = exited.then(async () => {
    const [stdout, stderr] = (await output).map((read) => (read.status === 'fulfilled' ? read.value : ''))
    return { code: child.exitCode, stdout: stdout!, stderr: stderr! }
  })
  return { child, ended }
}

/** Resolves once the text stands on its standard error. */
export function told({ stderr }: Child, expected: string): Promise<void> {
  let said = ''
  return new Promise((resolve) =>
    stderr.on('data', (chunk: Buffer | string) => {
      said += String(chunk)
      if (said.includes(expected)) resolve()
    }),
  )
}

/** Runs it to its end. */
export const medialog = (args: readonly string[], options?: RunOptions): Promise<Ended> =>
  start(args, options).ended

/** One process for many command lines, which run one after the other: a process for each takes 0.4 s of processor time. */
export function startRunner(): { run(line: CommandLine): Promise<Ended>; stop(): void } {
  const child = fork(RUNNER, {
    env: { ...ENVIRONMENT, ...COMPILED },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  let last: Promise<unknown> = Promise.resolve()
  const runNow = async ({ env, ...line }: CommandLine): Promise<Ended> => {
    child.send({ ...line, env: { ...ENVIRONMENT, ...env } } satisfies CommandLine)
    const [ended] = (await once(child, 'message')) as [Ended]
    return ended
  }
  return {
    run(line) {
      const ended = last.then(() => runNow(line))
      last = ended
      return ended
    },
    stop: () => void child.kill(),
  }
}
