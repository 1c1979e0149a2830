import { describeWithEngine } from '@medialog/test/engines'
import { expect, test } from 'vitest'
import { connectElasticsearch } from './connection.ts'
import { requireElasticsearch } from './reach.ts'

describeWithEngine('elasticsearch', 'Elasticsearch without security', (address) => {
  test('has no privileges to lack', async () => {
    const client = connectElasticsearch({ url: address })
    expect(await requireElasticsearch(client, 'ours-')).toMatch(/^\d+\.\d+/)
    await client.close()
  })
})
