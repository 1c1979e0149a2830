import { describeWithEngine } from '@medialog/test/engines'
import { describeCatalogContract } from '../../testing/catalog-contract.ts'
import { openElasticsearchEngine } from '../../testing/elasticsearch-engine.ts'

describeWithEngine('elasticsearch', 'the catalog in Elasticsearch', (url) => {
  describeCatalogContract('Elasticsearch', () => openElasticsearchEngine(url))
  describeCatalogContract('Elasticsearch in three shards', () => openElasticsearchEngine(url, 3))
})
