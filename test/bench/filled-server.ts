import { createInterface } from 'node:readline'
import { asOperator } from '../src/harness/client.ts'
import { startServer, temporaryDataFolder } from '../src/harness/server.ts'
import type { Cranfield } from './cranfield.ts'
import { fillCatalog } from './fill-catalog.ts'
import { itemsOf, library } from './library.ts'
import { sized } from './scale.ts'

export const PASSAGES = sized(100_000)
const CREDIT = 1_000

/**
 * A server whose first account has a library of PASSAGES passages made from the Cranfield texts, and credit. `restart`
 * puts another process over the same folder.
 */
export async function startFilledServer(cranfield: Cranfield) {
  const folder = await temporaryDataFolder()
  const first = await startServer({ dataFolder: folder.path })
  const { body } = await asOperator(first.url, first.operatorToken).request('GET', '/admin/accounts')
  const accountId = body.data.accounts[0].account_id
  await first.stop()
  // The rows are written into the catalog's file directly, at positions of other events; all else is the service as it is.
  await fillCatalog(folder.path, accountId, library(cranfield, PASSAGES), itemsOf(PASSAGES))
  const start = () =>
    startServer({ dataFolder: folder.path, env: { MEDIALOG_RATE_LIMITS: 'standard=1000000000' } })
  let server = await start()
  await asOperator(server.url, server.operatorToken).request('POST', `/admin/accounts/${accountId}/credits`, {
    json: { amount: CREDIT },
  })
  return {
    get url() {
      return server.url
    },
    apiKey: first.apiKey!,
    async restart() {
      await server.stop()
      server = await start()
    },
    async close() {
      await server.stop()
      await folder.remove()
    },
  }
}

export type FilledServer = Awaited<ReturnType<typeof startFilledServer>>

// In a process of its own: says where it is, restarts at each line of its standard input, and ends where that does.
if (import.meta.main) {
  const { loadCranfield } = await import('./cranfield.ts')
  const server = await startFilledServer(await loadCranfield())
  const { apiKey } = server
  const show = () => process.stdout.write(`${JSON.stringify({ url: server.url, apiKey })}\n`)
  show()
  for await (const _ of createInterface(process.stdin)) {
    await server.restart()
    show()
  }
  await server.close()
}
