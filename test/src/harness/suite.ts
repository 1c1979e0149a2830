import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { openAccount } from './accounts.ts'
import { medialog, type Answered } from './cli.ts'
import { asAccount, asOperator, takingTurns, type Client } from './client.ts'
import { startCluster, type Cluster, type ClusterOptions } from './processes.ts'
import { startServer, temporaryDataFolder, type RunningServer } from './server.ts'

/** USD that an account starts with. */
const OPENING = 10

/** A service as the tests of a suite see it, whatever it is made of. */
export interface TestedService {
  /** An account with 10 USD. */
  readonly client: Client
  readonly operator: Client
  /** Makes `client` that of another account with 10 USD. */
  changeAccount(): Promise<void>
  /** Another account with that much USD, and its client. */
  openAccount(credit: number): Promise<{ accountId: string; client: Client }>
  /** Ids of files that are kept until they are processed. */
  staged(): Promise<string[]>
  /** `medialog … --json` with the account's key and the operator's token; with the data folder, where there is one. */
  cli(...args: string[]): Promise<Answered>
}

/** A server on a data folder of its own for the tests of one file; started before them, stopped and removed after. */
export interface TestServer extends TestedService {
  readonly running: RunningServer
  readonly folder: string
  /** kill -9, then another start on the same data folder. */
  killAndRestart(): Promise<void>
  /** kill -9, then another start on an empty data folder. */
  startAnew(): Promise<void>
}

export function useServer(): TestServer {
  let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
  let running: RunningServer
  let apiKey = ''
  async function start(): Promise<void> {
    folder = await temporaryDataFolder()
    running = await startServer({ dataFolder: folder.path })
    apiKey = running.apiKey!
  }
  beforeAll(start)
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
    async startAnew() {
      await running.kill()
      await folder.remove()
      await start()
    },
    async changeAccount() {
      ;({ apiKey } = await openAccount(operator(), { name: 'another', credit: OPENING }))
    },
    async openAccount(credit) {
      const { accountId, apiKey } = await openAccount(operator(), { name: 'another', credit })
      return { accountId, client: asAccount(running.url, apiKey) }
    },
    staged: () => readdir(join(folder.path, 'staging')),
    cli: (...args) => medialog(running, '--data-dir', folder.path, ...args),
  }
}

/** For tests that store what no account can store twice, and look at nothing that another test has stored. */
export const changeAccountWhenTriedAgain = (service: TestedService): void =>
  whenTriedAgain(() => service.changeAccount())

/** For tests that need a log, or files, that no attempt has been at, and nothing that another test has stored. */
export const startAnewWhenTriedAgain = (server: TestServer): void => whenTriedAgain(() => server.startAnew())

function whenTriedAgain(prepare: () => Promise<void>): void {
  beforeEach(async ({ task }) => {
    if (task.result?.retryCount) await prepare()
  })
}

export interface TestedCluster extends TestedService {
  readonly cluster: Cluster
}

/** Processes on shared engines, started before the tests and removed after; each request goes to the next of the APIs. */
export function useCluster(options: ClusterOptions): TestedCluster {
  let cluster: Cluster
  let account: Awaited<ReturnType<typeof open>>
  let turn = 0
  const open = async (credit: number) => {
    const { accountId, apiKey, at } = await cluster.openAccount(credit)
    return { accountId, apiKey, client: takingTurns(() => cluster.processes.api.map((_, api) => at(api))) }
  }
  beforeAll(async () => {
    cluster = await startCluster(options)
    account = await open(OPENING)
  })
  afterAll(() => cluster.remove())
  return {
    get cluster() {
      return cluster
    },
    get client() {
      return account.client
    },
    get operator() {
      return cluster.operator()
    },
    async changeAccount() {
      account = await open(OPENING)
    },
    openAccount: open,
    staged: () => cluster.staged(),
    cli(...args) {
      const { processes, operatorToken } = cluster
      const { url } = processes.api[turn++ % processes.api.length]!
      return medialog({ url, operatorToken }, '--key', account.apiKey, ...args)
    },
  }
}
