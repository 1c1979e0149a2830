import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProcess, type ProcessOptions, type RunningProcess } from './process.ts'

export interface RunningServer extends RunningProcess {
  dataFolder: string
  operatorToken: string
}

export interface ServerOptions extends Omit<ProcessOptions, 'roles'> {
  dataFolder: string
}

/** A data folder of its own, removed by `remove`. */
export async function temporaryDataFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'medialog-test-'))
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 3 }) }
}

/** Starts the whole service as a process of its own on a free port; resolves once it says that it is ready. */
export async function startServer({ dataFolder, env, ...options }: ServerOptions): Promise<RunningServer> {
  const running = await startProcess({ ...options, env: { MEDIALOG_DATA_DIR: dataFolder, ...env } })
  const operatorToken = (await readFile(join(dataFolder, 'secrets', 'operator-token'), 'utf8')).trim()
  return { ...running, dataFolder, operatorToken }
}
