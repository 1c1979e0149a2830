import { existsSync, readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { READ_MODELS } from '@medialog/application/ports'
import { expect, test } from 'vitest'
import { asAccount, asOperator } from '../harness/client.ts'
import { unpackDataFolder } from '../harness/data-folders.ts'
import { operated } from '../harness/operations.ts'
import { startServer, temporaryDataFolder } from '../harness/server.ts'
import { expectStatus } from '../harness/expect-status.ts'

/** The first release said null where the number of pages is unknown; the specification has no such field there. */
const withoutUnknownPages = (items: object[]): object[] =>
  JSON.parse(
    JSON.stringify(items, (name, value: unknown) =>
      name === 'page_count' && value === null ? undefined : value,
    ),
  ) as object[]

test('the data folder of the first release opens, with the items, money and digests that it had', async () => {
  const root = await temporaryDataFolder()
  try {
    const dataFolder = join(root.path, 'data')
    const { listed, usage } = unpackDataFolder('release-0.1', dataFolder)
    const artifacts = await filesWithBytes(join(dataFolder, 'artifacts'))
    const server = await startServer({ dataFolder })
    try {
      // The key that the first release printed.
      const key = readFileSync(join(dataFolder, 'secrets', 'dev-api-key'), 'utf8').trim()
      const client = asAccount(server.url, key)
      const operator = asOperator(server.url, server.operatorToken)
      const { body: now } = await client.request('GET', '/v1/media')
      expect(now.data.items).toMatchObject(withoutUnknownPages(listed.data.items))
      expect(now.data.items).toHaveLength(3)
      // Of the days that the first release answered for: without a time it is the last week.
      const { start, end } = usage.metadata.time_range
      const { body: bill } = await client.request('GET', `/v1/usage?start_time=${start}&end_time=${end}`)
      expect(bill.data.account_info).toEqual(usage.data.account_info)
      expect(bill.data.billing_summary.usage_costs).toEqual(usage.data.billing_summary.usage_costs)
      expect(await operated(operator, { kind: 'log-verify' })).toMatchObject({
        result: { intact: true, events: 18, erased: 2 },
      })
      for (const name of READ_MODELS)
        expect(await operated(operator, { kind: 'projections-verify', name }), name).toMatchObject({
          result: { identical: true },
        })
      expect(await operated(operator, { kind: 'audit-verify' })).toMatchObject({ result: { intact: true } })
      const { body: found } = await client.request('POST', '/v1/search', {
        json: { query: 'when does the ferry leave', collections: 'all' },
      })
      expect(found.data.results[0].metadata.file_info.filename).toBe('ferry.txt')
      expectStatus(await client.upload('new.txt', 'Stored by this release.'), 200)
    } finally {
      expect(await server.stop()).toBe(0)
    }
    for (const [path, bytes] of artifacts) expect(await readFile(path, 'base64')).toBe(bytes)
    expect(JSON.parse(readFileSync(join(dataFolder, 'format.json'), 'utf8'))).toMatchObject({ format: 1 })
    // The format is the same: there was nothing to migrate.
    expect(existsSync(join(dataFolder, 'before-format-1'))).toBe(false)
  } finally {
    await root.remove()
  }
}, 120_000)

async function filesWithBytes(folder: string): Promise<[string, string][]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  return Promise.all(
    paths.map(async (path): Promise<[string, string]> => [path, await readFile(path, 'base64')]),
  )
}
