import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Cli } from './cli.ts'
import { CliError, Interrupted } from './client/errors.ts'
import { renderProgress } from './render/progress.ts'
import { SERVER_PROCESS } from './server-process.ts'

interface Progress {
  ratio: number
  message: string
}

type Line<Result> = { progress: Progress } | { result: Result } | { refused: string }

/**
 * Has work done on a data folder of this machine by a process of the server's software, with the server's settings, and
 * shows how far it is. @throws CliError with what that process said
 */
export async function maintained<Result>(cli: Cli, work: string, options: object): Promise<Result> {
  const { environment, flags, interrupts } = cli
  const child = spawn(process.execPath, [SERVER_PROCESS.maintenance, work, JSON.stringify(options)], {
    env: {
      ...environment,
      ...SERVER_PROCESS.env,
      ...(flags.dataDir !== undefined && { MEDIALOG_DATA_DIR: flags.dataDir }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // Whatever it is in the middle of, it may be ended there.
  const stop = (): void => void child.kill()
  interrupts.stop.addEventListener('abort', stop, { once: true })
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  const ended = once(child, 'close')
  let last: Line<Result> | null = null
  try {
    for await (const text of createInterface({ input: child.stdout })) {
      last = JSON.parse(text) as Line<Result>
      if (!('progress' in last)) continue
      const { progress } = last
      cli.terminal.progress.show(() => renderProgress(progress, cli.terminal.errorLook))
    }
    await ended
  } finally {
    interrupts.stop.removeEventListener('abort', stop)
    cli.terminal.progress.clear()
  }
  if (interrupts.stop.aborted) throw new Interrupted()
  if (last && 'result' in last) return last.result
  if (last && 'refused' in last) throw new CliError('REFUSED', last.refused)
  throw new CliError('BROKEN_OFF', `It ended before it was done: ${errors.trim() || 'it was killed'}`)
}
