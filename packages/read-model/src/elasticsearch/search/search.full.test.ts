import { describeWithEngine } from '@medialog/test/engines'
import { describeConnectionsContract } from '../../testing/connections-contract.ts'
import { openElasticsearchEngine } from '../../testing/elasticsearch-engine.ts'
import { describeSearchContract } from '../../testing/search-contract.ts'

describeWithEngine('elasticsearch', 'search in Elasticsearch', (url) => {
  describeSearchContract('Elasticsearch', () => openElasticsearchEngine(url))
  describeSearchContract('Elasticsearch in three shards', () => openElasticsearchEngine(url, 3))
  describeConnectionsContract('Elasticsearch', () => openElasticsearchEngine(url))
})
