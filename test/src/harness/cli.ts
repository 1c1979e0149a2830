import { execFile } from 'node:child_process'
import { SERVER_PROCESS } from '@medialog/cli/server-process'
import type { RunningServer } from './server.ts'

const CLI = new URL('../../../packages/cli/medialog.mjs', import.meta.url).pathname

export interface Answered {
  code: number
  // oxlint-disable-next-line typescript/no-explicit-any -- each command has a document of its own
  answer: any
}

/** `medialog … --json` against the server, as its operator: exit code and document. */
export const medialog = (
  { url, operatorToken }: Pick<RunningServer, 'url' | 'operatorToken'>,
  ...args: string[]
): Promise<Answered> => run([...args, '--url', url, '--operator-token', operatorToken])

/** The same for what is done to a data folder of this machine. */
export const medialogOn = (dataFolder: string, ...args: string[]): Promise<Answered> =>
  run([...args, '--data-dir', dataFolder])

/** The same for what is done to a log on a server. */
export const medialogAt = (eventStoreDb: string, ...args: string[]): Promise<Answered> =>
  run(args, { EVENTSTOREDB_URL: eventStoreDb })

/** Without addresses of engines that tests are given: no server of theirs has those. */
export const ownEnvironment = (): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  // Else each of them compiles what it runs.
  NODE_COMPILE_CACHE: SERVER_PROCESS.env['NODE_COMPILE_CACHE'],
})

const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Answered> =>
  new Promise((resolve) =>
    execFile(
      process.execPath,
      [CLI, ...args, '--json'],
      { env: { ...ownEnvironment(), ...env } },
      (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), answer: JSON.parse(stdout || stderr) }),
    ),
  )
