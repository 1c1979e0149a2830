import type { UnfinishedWork } from '@medialog/application/ports'
import { unavailableWhenAway } from '../connection.ts'
import { allOf } from '../pages.ts'
import { readerOf, type ReaderOptions } from '../reader.ts'
import type { BatchDocument, OpenDocument } from './definition.ts'

/** What was begun and has not ended, in the order in which it began, over Elasticsearch. */
export function openElasticsearchWork(options: ReaderOptions): UnfinishedWork {
  const { client, index, position } = readerOf(options, 'work')

  async function opened<Kind extends 'ingests' | 'charges' | 'requests'>(
    kind: Kind,
  ): Promise<OpenDocument[Kind][number][]> {
    const query = { bool: { filter: [{ term: { kind: 'open' } }, { range: { open: { gt: 0 } } }] } }
    const found = await allOf<OpenDocument>(client, {
      index,
      query,
      sort: [{ id: 'asc' }],
      _source: [kind],
    })
    return found
      .flatMap((document): OpenDocument[Kind][number][] => document[kind])
      .sort((a, b) => a.begun - b.begun)
  }

  return unavailableWhenAway<UnfinishedWork>({
    ingests: async () => (await opened('ingests')).map(({ begun: _, ...ingest }) => ingest),
    charges: async () =>
      (await opened('charges')).map(({ begun: _, rest, ...charge }) => ({ ...charge, rest: BigInt(rest) })),
    requests: async () => (await opened('requests')).map(({ begun: _, ...request }) => request),

    async batches() {
      const query = { bool: { filter: [{ term: { kind: 'batch' } }, { term: { ended: false } }] } }
      const found = await allOf<BatchDocument>(client, { index, query, sort: [{ begun: 'asc' }] })
      return found.map(({ batchId, accountId, status }) => ({ batchId, accountId, status }))
    },

    position,
  })
}
