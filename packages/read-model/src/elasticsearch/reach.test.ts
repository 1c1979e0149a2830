import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { EngineUnavailable } from '@medialog/application/ports'
import { expect, test } from 'vitest'
import { connectElasticsearch, ElasticsearchRefuses } from './connection.ts'
import { requireElasticsearch } from './reach.ts'

type Answer = [status: number, body: object]

const REFUSED = (status: number, reason: string): Answer => [
  status,
  { error: { type: 'security_exception', reason }, status },
]
const INFO: Answer = [200, { version: { number: '9.4.3' } }]
const MAY = (templates: boolean, all: boolean): Answer => [
  200,
  {
    username: 'ann',
    has_all_requested: templates && all,
    cluster: { manage_index_templates: templates },
    index: { 'ours-*': { all } },
    application: {},
  },
]

/** What is found of a server that answers like that. */
async function found(info: Answer, privileges: Answer): Promise<string | null> {
  const server = createServer(({ url }, response) => {
    const [status, body] = url === '/' ? info : privileges
    response.writeHead(status, { 'content-type': 'application/json', 'x-elastic-product': 'Elasticsearch' })
    response.end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client = connectElasticsearch({ url: `http://ann:secret@127.0.0.1:${port}` })
  try {
    return await requireElasticsearch(client, 'ours-')
  } finally {
    await client.close()
    server.closeAllConnections()
    server.close()
  }
}

test('a user with the privileges that are documented suffices, and need not know the version', async () => {
  expect(await found(REFUSED(403, 'monitor is not granted'), MAY(true, true))).toBeNull()
  expect(await found(INFO, MAY(true, true))).toBe('9.4.3')
})

test('what the user lacks is named', async () => {
  await expect(found(INFO, MAY(false, false))).rejects.toThrow(
    'lacks the privileges manage_index_templates, all on ours-*',
  )
  await expect(found(INFO, MAY(true, false))).rejects.toThrow(/privileges all on ours-\*$/)
})

test('a user who is not known is refused in the words of the server; for the service that is an engine away', async () => {
  const refused = found(REFUSED(401, 'unable to authenticate user [ann]'), MAY(true, true))
  await expect(refused).rejects.toBeInstanceOf(ElasticsearchRefuses)
  await expect(refused).rejects.toBeInstanceOf(EngineUnavailable)
  await expect(refused).rejects.toThrow(/refuses the user or key: unable to authenticate user \[ann\]$/)
})
