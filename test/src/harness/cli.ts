import { execFile } from 'node:child_process'
import type { RunningServer } from './server.ts'

const CLI = new URL('../../../packages/cli/src/main.ts', import.meta.url).pathname

/** `medialog … --json` against the server, as its operator: exit code and document. */
export function medialog(
  { url, operatorToken }: RunningServer,
  ...args: string[]
  // oxlint-disable-next-line typescript/no-explicit-any -- each command has a document of its own
): Promise<{ code: number; answer: any }> {
  const all = [CLI, ...args, '--json', '--url', url, '--operator-token', operatorToken]
  return new Promise((resolve) =>
    execFile(process.execPath, all, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), answer: JSON.parse(stdout || stderr) }),
    ),
  )
}
