import type { EventPage, History } from '@medialog/application/ports'
import type { Uuid } from '@medialog/kernel'
import { unavailableWhenAway } from '../connection.ts'
import { readPage } from '../pages.ts'
import type { Query } from '../query.ts'
import { readerOf, type ReaderOptions } from '../reader.ts'
import type { EventDocument } from './definition.ts'

/** Which events are about an item, and which came of a request, over Elasticsearch. */
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
    ofItem: (account, media, window) => page(account, { term: { media } }, window),
    ofRequest: (account, request, window) => page(account, { term: { request } }, window),
    position,
  })
}
