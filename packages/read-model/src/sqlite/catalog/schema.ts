import { contentSchema, eraseContent } from './content-schema.ts'

/**
 * The tables of the catalog. An item points at one generation of a collection; ending that one row makes everything
 * in it invisible at once. Triggers keep `tally`, so that no count ever scans items, and erase what is derived from
 * an item's content with it.
 */
export const schema = `
  CREATE TABLE collection (
    id INTEGER PRIMARY KEY,
    account_id TEXT NOT NULL,
    name TEXT NOT NULL,
    generation INTEGER NOT NULL,
    -- Position of the event that ended it, and what it held then.
    ended_position INTEGER,
    ended_items INTEGER,
    ended_hd INTEGER,
    ended_ld INTEGER,
    UNIQUE (account_id, name, generation)
  ) STRICT;
  CREATE INDEX collection_ended ON collection (ended_position) WHERE ended_position IS NOT NULL;
  CREATE INDEX collection_ended_of ON collection (account_id, ended_position) WHERE ended_position IS NOT NULL;

  CREATE TABLE tally (
    collection INTEGER NOT NULL REFERENCES collection,
    media_type TEXT NOT NULL,
    -- The embedder of their vectors.
    model TEXT NOT NULL,
    items INTEGER NOT NULL,
    hd INTEGER NOT NULL,
    ld INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (collection, media_type, model)
  ) STRICT, WITHOUT ROWID;

  -- Ids, times and numbers alone: moving an item or removing it may leave traces of these in the file.
  CREATE TABLE item (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    account_id TEXT NOT NULL,
    media_id TEXT NOT NULL,
    ingest_id TEXT NOT NULL,
    collection INTEGER NOT NULL REFERENCES collection,
    media_type TEXT NOT NULL,
    -- The embedder of its vectors.
    model TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    hd INTEGER NOT NULL,
    ld INTEGER NOT NULL,
    -- Bytes of derived data, for usage.
    bytes INTEGER NOT NULL,
    -- Position of the last event that placed it, and of the last one that changed it at all.
    placed_position INTEGER NOT NULL,
    changed_position INTEGER NOT NULL,
    UNIQUE (account_id, media_id)
  ) STRICT;
  CREATE INDEX item_newest ON item (account_id, created_at DESC, media_id, collection, media_type);
  CREATE INDEX item_newest_in ON item (collection, created_at DESC, media_id, media_type);
  CREATE INDEX item_changed ON item (account_id, changed_position);

  ${contentSchema}
  -- Ingests that are no more. Free of content; also what tells search caches which items went.
  CREATE TABLE erasure (
    account_id TEXT NOT NULL,
    media_id TEXT NOT NULL,
    ingest_id TEXT NOT NULL,
    cause TEXT NOT NULL CHECK (cause IN ('deleted', 'replaced')),
    revision INTEGER NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (account_id, media_id, ingest_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX erasure_oldest ON erasure (position);
  CREATE INDEX erasure_of ON erasure (account_id, position);

  CREATE TRIGGER item_came AFTER INSERT ON item BEGIN
    INSERT INTO tally VALUES (new.collection, new.media_type, new.model, 1, new.hd, new.ld, new.bytes)
    ON CONFLICT DO UPDATE SET items = items + 1, hd = hd + new.hd, ld = ld + new.ld, bytes = bytes + new.bytes;
  END;
  CREATE TRIGGER item_went AFTER DELETE ON item BEGIN
    UPDATE tally SET items = items - 1, hd = hd - old.hd, ld = ld - old.ld, bytes = bytes - old.bytes
    WHERE collection = old.collection AND media_type = old.media_type AND model = old.model;
    ${eraseContent('old.id', 'old.bytes')}
  END;
  CREATE TRIGGER item_moved AFTER UPDATE OF collection ON item BEGIN
    UPDATE tally SET items = items - 1, hd = hd - old.hd, ld = ld - old.ld, bytes = bytes - old.bytes
    WHERE collection = old.collection AND media_type = old.media_type AND model = old.model;
    INSERT INTO tally VALUES (new.collection, new.media_type, new.model, 1, new.hd, new.ld, new.bytes)
    ON CONFLICT DO UPDATE SET items = items + 1, hd = hd + new.hd, ld = ld + new.ld, bytes = bytes + new.bytes;
  END;
`

const live = 'item JOIN collection ON collection.id = item.collection AND collection.ended_position IS NULL'
const identity = 'item.account_id, item.media_id'

/**
 * What two builds of one history agree on: everything a reader can see. Left out is what depends on how much of the
 * past was truncated meanwhile: erasures, what ended collections once held, dead items not yet erased.
 */
export const digestQueries = [
  `SELECT ${identity}, ingest_id, name, generation, media_type, created_at, revision, hd, ld, bytes, record
   FROM ${live} JOIN record ON record.item = item.id ORDER BY ${identity}`,
  `SELECT ${identity}, content.text FROM ${live} JOIN content ON content.item = item.id ORDER BY ${identity}`,
  `SELECT ${identity}, ordinal, start_at, end_at, chunk.text
   FROM ${live} JOIN chunk ON chunk.item = item.id ORDER BY ${identity}, ordinal`,
  `SELECT ${identity}, item.model, dimensions, combined, short, chunks
   FROM ${live} JOIN vectors ON vectors.item = item.id ORDER BY ${identity}`,
  `SELECT ${identity}, terms, entry.vectors FROM ${live} JOIN entry ON entry.item = item.id ORDER BY ${identity}`,
  `SELECT account_id, name, generation, media_type, model, items, hd, ld, bytes
   FROM tally JOIN collection ON collection.id = tally.collection AND ended_position IS NULL
   WHERE items > 0 ORDER BY account_id, name, generation, media_type, model`,
]
