export const SQLITE_BUSY = 5
const SQLITE_CORRUPT = 11
const SQLITE_NOTADB = 26

/** SQLite's primary result code, or null for any other error. */
export function sqliteCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error)) return null
  return typeof error.errcode === 'number' ? error.errcode & 0xff : null
}

/** The file is not a database, or its pages contradict each other. */
export function isDamage(error: unknown): boolean {
  const code = sqliteCode(error)
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
