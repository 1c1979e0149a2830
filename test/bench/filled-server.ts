import { once } from 'node:events'
import { asOperator } from '../src/harness/client.ts'
import { startServer, temporaryDataFolder } from '../src/harness/server.ts'
import type { Cranfield } from './cranfield.ts'
import { fillCatalog } from './fill-catalog.ts'
import { itemsOf, library } from './library.ts'
import { sized } from './scale.ts'

export const PASSAGES = sized(100_000)
const CREDIT = 1_000

/** A server whose first account has a library of PASSAGES passages made from the Cranfield texts, and credit. */
export async function startFilledServer(cranfield: Cranfield) {
  const folder = await temporaryDataFolder()
  const first = await startServer({ dataFolder: folder.path })
  const { body } = await asOperator(first.url, first.operatorToken).request('GET', '/admin/accounts')
  const accountId = body.data.accounts[0].account_id
  await first.stop()
  // The rows are written into the catalog's file directly, at positions of other events; all else is the service as it is.
  await fillCatalog(folder.path, accountId, library(cranfield, PASSAGES), itemsOf(PASSAGES))
  const server = await startServer({
    dataFolder: folder.path,
    env: { MEDIALOG_RATE_LIMITS: 'standard=1000000000' },
  })
  await asOperator(server.url, server.operatorToken).request('POST', `/admin/accounts/${accountId}/credits`, {
    json: { amount: CREDIT },
  })
  return {
    url: server.url,
    apiKey: first.apiKey!,
    async close() {
      await server.stop()
      await folder.remove()
    },
  }
}

export type FilledServer = Awaited<ReturnType<typeof startFilledServer>>

// In a process of its own: says where it is, and ends when its standard input does.
if (import.meta.main) {
  const { loadCranfield } = await import('./cranfield.ts')
  const server = await startFilledServer(await loadCranfield())
  const { url, apiKey } = server
  process.stdout.write(`${JSON.stringify({ url, apiKey })}\n`)
  process.stdin.resume()
  await once(process.stdin, 'end')
  await server.close()
}
