import type { EventPage, History } from '@medialog/application/ports'
import type { Uuid } from '@medialog/kernel'
import { unavailableWhenAway } from '../connection.ts'
import { readPage } from '../pages.ts'
import type { Query } from '../query.ts'
import { readerOf, type ReaderOptions } from '../reader.ts'
import type { EventDocument } from './definition.ts'
import { readStoredAt } from './stored-at.ts'

/** Which events are about an item, which came of a request, and which items were stored when, over Elasticsearch. */
export function openElasticsearchHistory(options: ReaderOptions): History {
  const { client, index, position } = readerOf(options, 'history')

  async function page(
    account: Uuid,
    wanted: Query,
    window: { offset: number; limit: number },
  ): Promise<EventPage> {
    const filter = [{ term: { kind: 'event' } }, { term: { account } }, wanted]
    const { documents, total } = await readPage<Pick<EventDocument, 'position'>>(
      client,
      {
        index,
        routing: account,
        query: { bool: { filter } },
        sort: [{ position: 'asc' }],
        _source: ['position'],
      },
      window,
    )
    return { positions: documents.map(({ position }) => position), total }
  }

  return unavailableWhenAway<History>({
    storedAt: (account, asOf, filter, window) => readStoredAt(client, index, account, asOf, filter, window),
    ofItem: (account, media, window) => page(account, { term: { media } }, window),
    ofRequest: (account, request, window) => page(account, { term: { request } }, window),
    position,
  })
}
