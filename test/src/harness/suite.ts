import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { openAccount } from './accounts.ts'
import { medialog, type Answered } from './cli.ts'
import { asAccount, asOperator, type Client } from './client.ts'
import { startServer, temporaryDataFolder, type RunningServer } from './server.ts'

/** A server on a data folder of its own for the tests of one file; started before them, stopped and removed after. */
export interface TestServer {
  readonly running: RunningServer
  readonly folder: string
  /** An account with 10 USD. */
  readonly client: Client
  readonly operator: Client
  /** Another account with that much USD, and its client. */
  openAccount(credit: number): Promise<{ accountId: string; apiKey: string; client: Client }>
  /** Ids of files that are kept until they are processed. */
  staged(): Promise<string[]>
  /** `medialog … --json` on the data folder, with the operator's token. */
  cli(...args: string[]): Promise<Answered>
  /** kill -9, then another start on the same data folder. */
  killAndRestart(): Promise<void>
}

export function useServer(): TestServer {
  let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
  let running: RunningServer
  let apiKey = ''
  beforeAll(async () => {
    folder = await temporaryDataFolder()
    running = await startServer({ dataFolder: folder.path })
    apiKey = running.apiKey!
  })
  afterAll(async () => {
    await running.stop()
    await folder.remove()
  })
  const operator = () => asOperator(running.url, running.operatorToken)
  return {
    get running() {
      return running
    },
    get folder() {
      return folder.path
    },
    get client() {
      return asAccount(running.url, apiKey)
    },
    get operator() {
      return operator()
    },
    async killAndRestart() {
      await running.kill()
      running = await startServer({ dataFolder: folder.path })
    },
    async openAccount(credit) {
      const { accountId, apiKey } = await openAccount(operator(), { name: 'another', credit })
      return { accountId, apiKey, client: asAccount(running.url, apiKey) }
    },
    staged: () => readdir(join(folder.path, 'staging')),
    cli: (...args) => medialog(running, '--data-dir', folder.path, '--key', apiKey, ...args),
  }
}
