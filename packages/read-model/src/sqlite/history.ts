import type { EventPage, History, StoredThen } from '@medialog/application/ports'
import { earliest } from '../history/stays.ts'
import { guarded, type DatabaseSource } from './source.ts'
import { Statements } from './statements.ts'

const OF_ITEM = 'FROM item_event JOIN event USING (position) WHERE media_id = ? AND account_id = ?'
const OF_REQUEST = 'FROM event WHERE request_id = ? AND account_id = ?'

/** What is in a collection is gone with it. */
const STORED = `
  FROM stay LEFT JOIN ended_place ON ended_place.place_id = stay.place_id
  WHERE account_id = :account AND from_at <= :at AND until_at > :at
    AND (ended_place.at IS NULL OR ended_place.at > :at)
    AND (:type IS NULL OR media_type = :type)
    AND (:places IS NULL OR stay.place_id IN (SELECT value FROM json_each(:places)))`
const STORED_PAGE = `
  SELECT media_id AS mediaId, media_type AS mediaType, created_at AS createdAt, deleted_at AS deletedAt,
    (SELECT at FROM ended_place WHERE place_id = last_place_id) AS endedAt,
    ingest_position AS ingestPosition, place_position AS placePosition
  ${STORED} ORDER BY created_at DESC, media_id LIMIT :limit OFFSET :offset`
const STORED_TOTAL = `SELECT count(*) AS total ${STORED}`
const UNDATED = 'SELECT count(*) AS undated FROM told WHERE account_id = ? AND undated_until > ?'

/** Which events are about an item, which came of a request, and which items were stored when, read from their SQLite read model. */
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

  const storedAt: History['storedAt'] = async (account, at, { mediaType, placeIds }, window) =>
    statements.snapshot(() => {
      const type = mediaType ?? null
      const filter = { account, at, type, places: placeIds ? JSON.stringify(placeIds) : null }
      const { total } = statements.get(STORED_TOTAL).get(filter) as { total: number }
      const { undated } = statements.get(UNDATED).get(account, at) as { undated: number }
      const rows = statements.get(STORED_PAGE).all({ ...filter, ...window }) as unknown as StoredRow[]
      const items = rows.map(({ deletedAt, endedAt, ...item }) => ({
        ...item,
        erasedAt: earliest(deletedAt, endedAt),
      }))
      return { items, total, undated }
    })

  return guarded<History>(source, {
    storedAt,
    ofItem: async (accountId, mediaId, window) => page(OF_ITEM, mediaId, accountId, window),
    ofRequest: async (accountId, requestId, window) => page(OF_REQUEST, requestId, accountId, window),
    position: async () => statements.get('SELECT position FROM checkpoint').get()!.position as number,
  })
}

type StoredRow = Omit<StoredThen, 'erasedAt'> & { deletedAt: number | null; endedAt: number | null }
