import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { SERVER_PROCESS } from '@medialog/cli/server-process'
import { expect } from 'vitest'
import { temporaryDataFolder } from './server.ts'

const HOLD = fileURLToPath(new URL('hold-socket.pl', import.meta.url))
const PATIENCE = { timeout: 60_000 }

export interface HeldServer extends AsyncDisposable {
  url: string
  apiKey: string
  dataFolder: string
  /** SIGTERM; it is started again with these settings, as by systemd with another `EnvironmentFile`. Resolves once it is ready. */
  restart(settings?: Record<string, string>): Promise<void>
}

/** A service whose socket outlives it, as under systemd, and that is started again whenever it ends. */
export async function startHeldServer(settings: Record<string, string> = {}): Promise<HeldServer> {
  const folder = await temporaryDataFolder()
  const environment = join(folder.path, 'environment')
  const write = (values: Record<string, string>) =>
    writeFile(
      environment,
      Object.entries(values).map(([name, value]) => `export ${name}='${value}'\n`),
    )
  await write(settings)
  const words = [process.execPath, ...SERVER_PROCESS.flags, SERVER_PROCESS.main]
  const holder = spawn('perl', [HOLD, '/bin/sh', '-c', '. "$0"; exec "$@"', environment, ...words], {
    env: {
      ...SERVER_PROCESS.env,
      PATH: process.env['PATH'],
      MEDIALOG_DATA_DIR: join(folder.path, 'data'),
      PORT: '1',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(holder, 'exit')
  const lines: string[] = []
  createInterface({ input: holder.stdout }).on('line', (line) => lines.push(line))
  const starts = () => lines.filter((line) => line.includes('is ready at')).length
  const [port, pid] = [() => lines[0], () => lines.findLast((line) => /^\d+$/.test(line))]
  await expect.poll(starts, PATIENCE).toBe(1)
  return {
    url: `http://127.0.0.1:${port()}`,
    apiKey: /API key: (mlk_\S+)/.exec(lines.join('\n'))![1]!,
    dataFolder: join(folder.path, 'data'),
    async restart(changed) {
      if (changed) await write(changed)
      const before = starts()
      process.kill(Number(pid()), 'SIGTERM')
      await expect.poll(starts, PATIENCE).toBe(before + 1)
    },
    async [Symbol.asyncDispose]() {
      holder.kill()
      await ended
      await folder.remove()
    },
  }
}
