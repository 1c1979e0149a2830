import { randomUUID } from 'node:crypto'
import type { EventStoreDbOptions } from '@medialog/event-store/eventstoredb/store'
import {
  startEventStoreDbDouble,
  type EventStoreDbDouble,
} from '@medialog/event-store/testing/eventstoredb/double'
import { tlsOfEventStoreDb } from '@medialog/event-store/testing/eventstoredb/named'
import { afterAll, beforeAll } from 'vitest'
import { engineAddress } from '../engines.ts'
import { asAccount, asOperator, type Client } from './client.ts'
import { startServer, temporaryDataFolder, type RunningServer } from './server.ts'

/** Where a log is. */
export type LogAddress = Pick<EventStoreDbOptions, 'url' | 'tls'> & { prefix: string }

/** An empty log on the EventStoreDB that the environment names, or on a double of one. */
export async function newLog(opened: AsyncDisposableStack): Promise<LogAddress> {
  const url = engineAddress('eventstoredb')
  if (url !== null) return namedLog(url)
  return doubleLog(opened.use(await startEventStoreDbDouble()))
}

export const doubleLog = ({ url }: EventStoreDbDouble): LogAddress => ({ url, prefix: 'medialog.' })

/** Streams of its own, which are left behind. */
const namedLog = (url: string): LogAddress => ({
  url,
  tls: tlsOfEventStoreDb(),
  prefix: `test_${randomUUID().replaceAll('-', '')}.`,
})

/** The settings of a process whose log is there. */
export const environmentOf = ({ url, tls, prefix }: LogAddress): Record<string, string> => ({
  EVENTSTOREDB_URL: url,
  EVENTSTOREDB_STREAM_PREFIX: prefix,
  ...(tls?.ca && { EVENTSTOREDB_TLS_CA_FILE: tls.ca.path }),
})

/** A server whose log is a double of EventStoreDB, for the tests of one file; stopped and removed after them. */
export async function serveOnEventStoreDb() {
  const log = await startEventStoreDbDouble()
  afterAll(() => log.stop())
  return { log, ...(await serveOn(doubleLog(log))) }
}

/** The same on the EventStoreDB that the environment names. */
export const serveOnNamedEventStoreDb = (url: string) => serveOn(namedLog(url))

export type Served = Awaited<ReturnType<typeof serveOn>>

async function serveOn(log: LogAddress) {
  const folder = await temporaryDataFolder()
  let server: RunningServer
  let apiKey = ''

  async function start(url = log.url): Promise<void> {
    server = await startServer({ dataFolder: folder.path, env: environmentOf({ ...log, url }) })
    apiKey ||= server.apiKey!
  }
  beforeAll(() => start())
  afterAll(async () => {
    await server.stop()
    await folder.remove()
  })

  const account = (): Client => asAccount(server.url, apiKey)
  return {
    folder: folder.path,
    ...log,
    /** Starts the server again, on another log where its URL is named. */
    start,
    stop: () => server.stop(),
    server: () => server,
    account,
    operator: (): Client => asOperator(server.url, server.operatorToken),
    /** Where the account's events are followed, and with which headers. */
    feed: () => [server.url, { 'x-api-key': apiKey }] as const,
    /** Of the account's items, sorted. */
    filenames: async (): Promise<string[]> => {
      const { body } = await account().request('GET', '/v1/media?page_size=100')
      const names = body.data.items.map(
        (item: { file_info: { filename: string } }) => item.file_info.filename,
      )
      return names.sort()
    },
  }
}
