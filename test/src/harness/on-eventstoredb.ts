import { startEventStoreDbDouble } from '@medialog/event-store/testing/eventstoredb/double'
import { afterAll, beforeAll } from 'vitest'
import { asAccount, asOperator, type Client } from './client.ts'
import { startServer, temporaryDataFolder, type RunningServer } from './server.ts'

/** A server whose log is a double of EventStoreDB, for the tests of one file; stopped and removed after them. */
export async function serveOnEventStoreDb() {
  const log = await startEventStoreDbDouble()
  const folder = await temporaryDataFolder()
  let server: RunningServer
  let apiKey = ''

  async function start(url = log.url): Promise<void> {
    server = await startServer({ dataFolder: folder.path, env: { EVENTSTOREDB_URL: url } })
    apiKey ||= server.apiKey!
  }
  beforeAll(() => start())
  afterAll(async () => {
    await server.stop()
    await log.stop()
    await folder.remove()
  })

  const account = (): Client => asAccount(server.url, apiKey)
  return {
    log,
    folder: folder.path,
    /** Starts the server again, on another log where its URL is named. */
    start,
    stop: () => server.stop(),
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
