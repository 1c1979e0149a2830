import type { EventPage, History } from '@medialog/application/ports'
import { guarded, type DatabaseSource } from './source.ts'
import { Statements } from './statements.ts'

const OF_ITEM = 'FROM item_event JOIN event USING (position) WHERE media_id = ? AND account_id = ?'
const OF_REQUEST = 'FROM event WHERE request_id = ? AND account_id = ?'

/** Which events are about an item, and which came of a request, read from their SQLite read model. */
export function openHistory(source: DatabaseSource): History {
  const statements = new Statements(source)

  const page = (
    where: string,
    id: string,
    accountId: string,
    { offset, limit }: { offset: number; limit: number },
  ): EventPage =>
    statements.snapshot(() => {
      const { total } = statements.get(`SELECT count(*) AS total ${where}`).get(id, accountId) as {
        total: number
      }
      const rows = statements
        .get(`SELECT position ${where} ORDER BY position LIMIT ? OFFSET ?`)
        .all(id, accountId, limit, offset) as { position: number }[]
      return { positions: rows.map(({ position }) => position), total }
    })

  return guarded<History>(source, {
    ofItem: async (accountId, mediaId, window) => page(OF_ITEM, mediaId, accountId, window),
    ofRequest: async (accountId, requestId, window) => page(OF_REQUEST, requestId, accountId, window),
    position: async () => statements.get('SELECT position FROM checkpoint').get()!.position as number,
  })
}
