import { randomUUID } from 'node:crypto'
import { startEventStoreDbDouble } from '@medialog/event-store/testing/eventstoredb/double'
import { afterAll, beforeAll } from 'vitest'
import { asAccount, asOperator, type Client } from './client.ts'
import { startServer, temporaryDataFolder, type RunningServer } from './server.ts'

/** A server whose log is a double of EventStoreDB, for the tests of one file; stopped and removed after them. */
export async function serveOnEventStoreDb() {
  const log = await startEventStoreDbDouble()
  afterAll(() => log.stop())
  return { log, ...(await serveOn({ EVENTSTOREDB_URL: log.url })) }
}

/** The same on the EventStoreDB that the environment names, in streams of its own that are left behind. */
export const serveOnNamedEventStoreDb = () => {
  const { EVENTSTOREDB_URL, EVENTSTOREDB_TLS_CA_FILE } = process.env
  return serveOn({
    EVENTSTOREDB_URL: EVENTSTOREDB_URL!,
    EVENTSTOREDB_STREAM_PREFIX: newPrefix(),
    ...(EVENTSTOREDB_TLS_CA_FILE && { EVENTSTOREDB_TLS_CA_FILE }),
  })
}

const newPrefix = (): string => `test_${randomUUID().replaceAll('-', '')}.`

export type Served = Awaited<ReturnType<typeof serveOn>>

async function serveOn(env: Record<string, string> & { EVENTSTOREDB_URL: string }) {
  const folder = await temporaryDataFolder()
  let server: RunningServer
  let apiKey = ''

  async function start(url = env.EVENTSTOREDB_URL): Promise<void> {
    server = await startServer({ dataFolder: folder.path, env: { ...env, EVENTSTOREDB_URL: url } })
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
    url: env.EVENTSTOREDB_URL,
    /** Of the log's streams on the server. */
    prefix: env['EVENTSTOREDB_STREAM_PREFIX'] ?? 'medialog.',
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
