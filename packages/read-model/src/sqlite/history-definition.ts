import type { HistoryChange } from '@medialog/application/ports'
import type { Uuid } from '@medialog/kernel'
import type { DatabaseSync } from 'node:sqlite'
import type { ReadModelDefinition } from './definition.ts'

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
`

/** Which events are about an item, and which came of a request. */
export const historyDefinition = {
  name: 'history',
  version: 1,
  schema,
  digestQueries: [
    'SELECT * FROM event ORDER BY position',
    'SELECT * FROM item_event ORDER BY media_id, position',
    'SELECT * FROM subject ORDER BY account_id, subject, media_id',
  ],
  prepare: prepareChanges,
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
    }
  }
}
