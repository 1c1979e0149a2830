import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { RunningServer } from '../harness/server.ts'

/** The blocks of shell commands on a page, in order. */
export const shellBlocks = (page: string): string[] =>
  Array.from(page.matchAll(/^```sh\n(.*?)^```$/gms), ([, block]) => block!)

export interface Place {
  /** In place of the one at port 8080. */
  server: RunningServer
  apiKey: string
  /** Where the commands run. */
  cwd: string
  /** Of the command line's profiles; programs are looked for here first. */
  home: string
}

/** What the commands print, with this project's Node. @throws where one fails */
export async function paste(commands: string, { server, apiKey, cwd, home }: Place): Promise<string> {
  const script = commands.replaceAll('http://127.0.0.1:8080', server.url)
  const { stdout } = await promisify(execFile)('sh', ['-ec', script], {
    cwd,
    maxBuffer: 64 * 1024 * 1024,
    env: {
      PATH: `${home}:${join(process.execPath, '..')}:${process.env['PATH']}`,
      HOME: home,
      XDG_CONFIG_HOME: home,
      MEDIALOG_URL: server.url,
      MEDIALOG_API_KEY: apiKey,
      MEDIALOG_OPERATOR_TOKEN: server.operatorToken,
    },
  })
  return stdout
}
