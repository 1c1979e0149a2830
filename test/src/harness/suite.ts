import { afterAll, beforeAll } from 'vitest'
import { asAccount, asOperator, type Client } from './client.ts'
import { startServer, temporaryDataFolder, type RunningServer } from './server.ts'

/** A server on a data folder of its own for the tests of one file; started before them, stopped and removed after. */
export interface TestServer {
  readonly running: RunningServer
  readonly folder: string
  /** The first account. */
  readonly client: Client
  readonly operator: Client
  /** kill -9, then another start on the same data folder. */
  killAndRestart(): Promise<void>
  /** Another account with that much USD, and its client. */
  openAccount(credit: number): Promise<{ accountId: string; client: Client }>
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
      return asOperator(running.url, running.operatorToken)
    },
    async killAndRestart() {
      await running.kill()
      running = await startServer({ dataFolder: folder.path })
    },
    async openAccount(credit) {
      const { body: account } = await this.operator.request('POST', '/admin/accounts', {
        json: { name: 'another', credit },
      })
      const accountId: string = account.data.account_id
      const { body: key } = await this.operator.request('POST', `/admin/accounts/${accountId}/keys`, {
        json: {},
      })
      return { accountId, client: asAccount(running.url, key.data.api_key) }
    },
  }
}
