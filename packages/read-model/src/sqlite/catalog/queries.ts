import type { MediaType } from '@medialog/kernel'

/** An item that was not removed, in a collection that has not ended. */
const LIVE = `item JOIN collection ON collection.id = item.collection AND collection.ended_position IS NULL`
const COLUMNS = `item.account_id, media_id, ingest_id, media_type, name, created_at, revision, hd, ld, record`
const NAMED = `${LIVE} WHERE item.account_id = ? AND media_id = ?`

export const ITEM = `
  SELECT ${COLUMNS} FROM ${LIVE} JOIN record ON record.item = item.id WHERE item.account_id = ? AND media_id = ?`

export const CONTENT = `
  SELECT item, text FROM content
  WHERE item = (SELECT item.id FROM ${NAMED})`
export const CHUNKS = `SELECT text, start_at AS start, end_at AS "end" FROM chunk WHERE item = ? ORDER BY ordinal`

export const COMBINED_VECTOR = `
  SELECT model, dimensions, combined, short, NULL AS chunks
  FROM ${LIVE} JOIN vectors ON vectors.item = item.id WHERE item.account_id = ? AND media_id = ?`
export const ALL_VECTORS = `
  SELECT model, dimensions, combined, short, chunks
  FROM ${LIVE} JOIN vectors ON vectors.item = item.id WHERE item.account_id = ? AND media_id = ?`

/** Places are passed over in the covering index alone; only a page's own rows are read. */
const page = (keys: string): string => `
  WITH page AS MATERIALIZED (SELECT item.id ${keys} ORDER BY created_at DESC, media_id LIMIT :limit OFFSET :offset)
  SELECT ${COLUMNS} FROM page JOIN item ON item.id = page.id JOIN collection ON collection.id = item.collection
    JOIN record ON record.item = item.id
  ORDER BY created_at DESC, media_id`

/** The first condition is one that the indexes find the place by. */
const BEHIND = 'created_at <= :at AND (created_at < :at OR media_id > :after)'

export const NEWEST = page(`
  FROM item INDEXED BY item_newest
  WHERE account_id = :account AND ${BEHIND} AND (:type IS NULL OR media_type = :type)
    AND collection IN (SELECT id FROM collection WHERE account_id = :account AND ended_position IS NULL)`)

/** A name has one live generation at most, by the order of events; the index gives its items in order. */
export const NEWEST_IN = page(`
  FROM item
  WHERE collection IN
      (SELECT id FROM collection WHERE account_id = :account AND name = :collection AND ended_position IS NULL)
    AND ${BEHIND} AND (:type IS NULL OR media_type = :type)`)

export const TOTAL = `
  SELECT coalesce(sum(items), 0) AS total FROM collection JOIN tally ON tally.collection = collection.id
  WHERE account_id = :account AND ended_position IS NULL
    AND (:collection IS NULL OR name = :collection) AND (:type IS NULL OR media_type = :type)`

export interface CollectionRow {
  name: string
  media_type: MediaType
  items: number
  first_at: number
  last_at: number
}

export const COLLECTIONS = `
  SELECT name, media_type, items,
    (SELECT min(created_at) FROM item WHERE item.collection = collection.id) AS first_at,
    (SELECT max(created_at) FROM item WHERE item.collection = collection.id) AS last_at
  FROM collection JOIN tally ON tally.collection = collection.id
  WHERE account_id = :account AND ended_position IS NULL AND items > 0 AND (:name IS NULL OR name = :name)
  ORDER BY name, media_type`

export interface Tally {
  items: number
  hd: number
  ld: number
}

export const ENDED = `
  SELECT ended_items AS items, ended_hd AS hd, ended_ld AS ld,
    (SELECT coalesce(sum(items), 0) FROM tally WHERE tally.collection = collection.id) AS "left"
  FROM collection
  WHERE account_id = ? AND name = ? AND generation = ? AND ended_position IS NOT NULL`

export interface Storage {
  vectors: number
  bytes: number
}

export const STORAGE = `
  SELECT coalesce(sum(hd + ld), 0) AS vectors, coalesce(sum(bytes), 0) AS bytes
  FROM collection JOIN tally ON tally.collection = collection.id
  WHERE account_id = ? AND ended_position IS NULL`

export const MODELS_OF = `
  SELECT DISTINCT model FROM collection JOIN tally ON tally.collection = collection.id
  WHERE account_id = ? AND ended_position IS NULL AND items > 0 ORDER BY model`

export const EMBEDDINGS = `
  SELECT model, sum(items) AS items, sum(hd) AS vectors, count(DISTINCT account_id) AS accounts
  FROM collection JOIN tally ON tally.collection = collection.id
  WHERE ended_position IS NULL AND items > 0 GROUP BY model ORDER BY model`

/** Of every account, in an order that a rebuild does not change. */
export const EMBEDDED = `
  SELECT item.account_id AS accountId, media_id AS mediaId, ingest_id AS ingestId, model
  FROM ${LIVE} WHERE (item.account_id, media_id) > (?, ?)
  ORDER BY item.account_id, media_id LIMIT ?`

/** Kept by the host of the projection, in the same file as the rows. */
export const POSITION = 'SELECT position FROM checkpoint'
