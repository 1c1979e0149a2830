import { runCli } from '../run.ts'
import type { CommandLine, Ended } from './medialog.ts'

// Runs one command line after the other, as its parent sends them, in what would be a process of its own for each.
const NEVER = new AbortController().signal

process.on('message', (line: CommandLine) => void run(line))

async function run({ args, env, cwd }: CommandLine): Promise<void> {
  process.chdir(cwd)
  const written = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    process[name].write = (text: string | Uint8Array) => {
      written[name] += typeof text === 'string' ? text : Buffer.from(text).toString()
      return true
    }
  const code = await runCli(args, env, { stop: NEVER, leave: NEVER })
  process.send!({ code, ...written } satisfies Ended)
}
