import type { HistoryChange } from '@medialog/application/ports'
import type { Uuid } from '@medialog/kernel'
import type { DatabaseSync } from 'node:sqlite'
import { staysOf, toldBy, undatedUntil, type ToldItem } from '../history/stays.ts'
import { eachOf, type ReadModelDefinition } from './definition.ts'

/** Ids and places in the log, and nothing of what stands there. */
const schema = `
  CREATE TABLE event (
    position INTEGER PRIMARY KEY,
    account_id TEXT NOT NULL,
    request_id TEXT
  ) STRICT;
  CREATE INDEX event_request ON event (request_id, position) WHERE request_id IS NOT NULL;

  CREATE TABLE item_event (
    media_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    -- In the item's own stream; null of an event of another.
    revision INTEGER,
    PRIMARY KEY (media_id, position)
  ) STRICT, WITHOUT ROWID;

  -- What a job or a charge is about.
  CREATE TABLE subject (
    subject TEXT NOT NULL,
    media_id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    PRIMARY KEY (account_id, subject, media_id)
  ) STRICT, WITHOUT ROWID;

  -- What the log has told of an item's stays, as JSON: see history/stays.ts.
  CREATE TABLE told (
    media_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    item TEXT NOT NULL,
    undated_until INTEGER,
    -- The last event that is in it.
    position INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX told_undated ON told (account_id, undated_until) WHERE undated_until IS NOT NULL;

  CREATE TABLE stay (
    account_id TEXT NOT NULL,
    media_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    from_at INTEGER NOT NULL,
    until_at INTEGER NOT NULL,
    media_type TEXT NOT NULL,
    place_id TEXT,
    last_place_id TEXT,
    deleted_at INTEGER,
    ingest_position INTEGER,
    place_position INTEGER
  ) STRICT;
  CREATE INDEX stay_newest ON stay (account_id, created_at DESC, media_id, from_at, until_at, place_id, media_type);
  CREATE INDEX stay_of ON stay (media_id);

  CREATE TABLE ended_place (
    place_id TEXT PRIMARY KEY,
    at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`

/** Which events are about an item, which came of a request, and which items were stored when. */
export const historyDefinition = {
  name: 'history',
  version: 2,
  schema,
  digestQueries: [
    'SELECT * FROM event ORDER BY position',
    'SELECT * FROM item_event ORDER BY media_id, position',
    'SELECT * FROM subject ORDER BY account_id, subject, media_id',
    'SELECT media_id, account_id, item, undated_until FROM told ORDER BY media_id',
    'SELECT * FROM stay ORDER BY media_id, from_at',
    'SELECT * FROM ended_place ORDER BY place_id',
  ],
  prepare: eachOf(prepareChanges),
} as const satisfies ReadModelDefinition<HistoryChange>

function prepareChanges(database: DatabaseSync): (change: HistoryChange, position: number) => void {
  const insertEvent = database.prepare('INSERT INTO event VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
  const insertItem = database.prepare('INSERT INTO item_event VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
  const insertSubject = database.prepare(
    'INSERT INTO subject (account_id, subject, media_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  )
  const about = database.prepare('SELECT media_id FROM subject WHERE account_id = ? AND subject = ?')
  const forgetEvents = database.prepare(`
    DELETE FROM event WHERE position IN (SELECT position FROM item_event WHERE media_id = ? AND revision < ?)`)
  const tell = prepareStays(database)
  const endPlace = database.prepare('INSERT INTO ended_place VALUES (?, ?) ON CONFLICT DO NOTHING')
  const forgetItem = database.prepare('DELETE FROM item_event WHERE media_id = ? AND revision < ?')

  function itemsOf(accountId: Uuid, subjects: readonly string[]): Uuid[] {
    for (const subject of subjects) {
      const rows = about.all(accountId, subject) as { media_id: Uuid }[]
      if (rows.length > 0) return rows.map((row) => row.media_id)
    }
    return []
  }

  return (change, position) => {
    const { accountId } = change
    switch (change.type) {
      case 'AddEvent':
        insertEvent.run(position, accountId, change.requestId)
        for (const mediaId of [...change.mediaIds, ...itemsOf(accountId, change.subjects)])
          insertItem.run(mediaId, position, change.own?.revision ?? null)
        return
      case 'KnowSubject':
        for (const mediaId of change.mediaIds) insertSubject.run(accountId, change.subject, mediaId)
        return
      case 'ForgetEvents':
        forgetEvents.run(change.mediaId, change.before)
        forgetItem.run(change.mediaId, change.before)
        return
      case 'EndPlace':
        endPlace.run(change.placeId, change.at)
        return
      case 'StoreItem':
      case 'EndLives':
        return tell(change.mediaId, change, position)
      case 'MoveItems':
        for (const mediaId of change.mediaIds) tell(mediaId, change, position)
    }
  }
}

function prepareStays(database: DatabaseSync) {
  const select = database.prepare('SELECT item, position FROM told WHERE media_id = ?')
  const replace = database.prepare('INSERT OR REPLACE INTO told VALUES (?, ?, ?, ?, ?)')
  const remove = database.prepare('DELETE FROM stay WHERE media_id = ?')
  const insert = database.prepare('INSERT INTO stay VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')

  return (mediaId: Uuid, change: Parameters<typeof toldBy>[0], position: number): void => {
    const row = select.get(mediaId) as { item: string; position: number } | undefined
    if (row && row.position >= position) return
    const told = toldBy(change, position, row ? (JSON.parse(row.item) as ToldItem) : null)
    const { accountId } = change
    replace.run(mediaId, accountId, JSON.stringify(told), undatedUntil(told), position)
    remove.run(mediaId)
    for (const stay of staysOf(told)) {
      const { createdAt, from, until, mediaType, placeId, lastPlaceId, deletedAt } = stay
      const { ingestPosition, placePosition } = stay
      insert.run(
        accountId,
        mediaId,
        createdAt,
        from,
        until,
        mediaType,
        placeId,
        lastPlaceId,
        deletedAt,
        ingestPosition,
        placePosition,
      )
    }
  }
}
