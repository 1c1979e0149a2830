/** SQLITE_CORRUPT and SQLITE_NOTADB, with any details in the higher bits. */
const DAMAGED = new Set([11, 26])
/** The disk does not give back what was written: SQLITE_IOERR_READ, _SHORT_READ, _DATA, _CORRUPTFS. */
const UNREADABLE = new Set([266, 522, 8202, 8458])

/** Whether SQLite says that the file is not what was written. */
export function isFileDamage(error: unknown): boolean {
  const { errcode = 0 } = error as { errcode?: number }
  return DAMAGED.has(errcode & 0xff) || UNREADABLE.has(errcode)
}

/**
 * Whether a read failed because of what the file holds: SQLite has no checksums, so a bad page may also come out as rows
 * that cannot be understood (JSON that does not parse, vectors of no length, numbers out of range, a row that is gone).
 */
export function isDamage(error: unknown): boolean {
  if (isFileDamage(error) || error instanceof SyntaxError || error instanceof RangeError) return true
  // Those with a code come from a wrong call, not from a row.
  return error instanceof TypeError && !('code' in error)
}
