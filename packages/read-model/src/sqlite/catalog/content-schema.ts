/**
 * Everything derived from an item's content, and nothing else, is in these tables, whose rows are never deleted, never
 * resized, and inserted in growing order of their keys alone. Removing an item overwrites them with zeros of the same
 * length, counted in bytes, which SQLite does in place, overflow pages included.
 *
 * The reason: SQLite makes room by moving rows between pages, at a DELETE, at an INSERT in the middle and where an
 * UPDATE changes a row's size. The gaps that it leaves then hold stale copies of *neighbouring* rows. `secure_delete`
 * zeroes a row where it is, and not its older copies: with it alone, 34 of 30 379 items that were removed among others
 * left something behind. A row that is appended is never moved but when its table outgrows its first page, and that
 * one `secure_delete` does clear. An item that is replaced gets a new key and new rows.
 *
 * What is left are tombstones. No query joins them, for their item is deleted and `item.id` is AUTOINCREMENT: no key comes
 * again. `tombstone` counts them; a copy without them takes the file's place once they are many: see compaction.ts.
 *
 * Indexes hold keys and numbers alone. Rows of ids, times and counts may be deleted: they do not reveal the content.
 */
export const contentSchema = `
  -- What of a CatalogItem has no column in \`item\`, as JSON.
  CREATE TABLE record (item INTEGER PRIMARY KEY, record TEXT NOT NULL) STRICT;

  CREATE TABLE content (item INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;

  CREATE TABLE chunk (
    item INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    start_at INTEGER NOT NULL,
    end_at INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (item, ordinal)
  ) STRICT;

  -- 32-bit floats, little-endian; \`chunks\` holds one vector after the other.
  CREATE TABLE vectors (
    item INTEGER PRIMARY KEY,
    dimensions INTEGER NOT NULL,
    combined BLOB NOT NULL,
    short BLOB NOT NULL,
    chunks BLOB NOT NULL
  ) STRICT;

  -- What a search index is made from: see search/entry.ts and search/fixed-point.ts.
  CREATE TABLE entry (
    item INTEGER PRIMARY KEY,
    terms BLOB NOT NULL,
    dimensions INTEGER NOT NULL,
    vectors BLOB NOT NULL
  ) STRICT;

  -- One row: removed items since the file was made, and the bytes that they still take as zeros.
  CREATE TABLE tombstone (items INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT;
  INSERT INTO tombstone VALUES (0, 0);
`

const zeros = (column: string): string => `zeroblob(octet_length(${column}))`
const zeroText = (column: string): string => `CAST(${zeros(column)} AS TEXT)`

/** Statements that overwrite the rows of one item and count them. `item`: an SQL expression for its key; `bytes` likewise. */
export const eraseContent = (item: string, bytes: string): string => `
  UPDATE tombstone SET items = items + 1, bytes = bytes + ${bytes} + coalesce(
    (SELECT octet_length(terms) + octet_length(vectors) FROM entry WHERE item = ${item}), 0);
  ${wipeContent(item)}
`

/** Statements that overwrite the rows of one item. */
export const wipeContent = (item: string): string => `
  UPDATE record SET record = ${zeroText('record')} WHERE item = ${item};
  UPDATE content SET text = ${zeroText('text')} WHERE item = ${item};
  UPDATE chunk SET text = ${zeroText('text')} WHERE item = ${item};
  UPDATE vectors SET combined = ${zeros('combined')}, short = ${zeros('short')}, chunks = ${zeros('chunks')}
    WHERE item = ${item};
  UPDATE entry SET terms = ${zeros('terms')}, vectors = ${zeros('vectors')} WHERE item = ${item};
`
