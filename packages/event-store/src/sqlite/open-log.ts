import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { verifyChain, type ChainedEvent } from '../chain.ts'
import { IS_THERE, prepareLog, whyNotALog } from './schema.ts'
import { isDamage, messageOf } from './sqlite-error.ts'

/** Checking every page costs about 1 ms/MB from the page cache: larger logs are opened without. */
const CHECKED_WHOLE_UP_TO = 1_073_741_824
/** Events at the end whose chain is recomputed at every start. */
const CHECKED_TAIL = 1_000

export type OpenedLog = { kind: 'open'; database: DatabaseSync } | { kind: 'damaged'; what: string }

/**
 * Opens the log for its one writer, making it where there is none. A write-ahead log that a crash left behind is
 * recovered (what was acknowledged is in it) and emptied; what cannot be a crash's doing is said.
 */
export async function openLog(path: string): Promise<OpenedLog> {
  const database = new DatabaseSync(path, { timeout: 1_000 })
  try {
    const what = whyNotALog(database) ?? (await prepared(database, path))
    if (what === null) return { kind: 'open', database }
    database.close()
    return { kind: 'damaged', what }
  } catch (error) {
    database.close()
    if (isDamage(error) || error instanceof SyntaxError) return { kind: 'damaged', what: messageOf(error) }
    throw error
  }
}

async function prepared(database: DatabaseSync, path: string): Promise<string | null> {
  prepareLog(database)
  const what = brokenPages(database, path) ?? (await brokenTail(database))
  if (what === null) checkpoint(database)
  return what
}

/** Moves everything into the main file and cuts the write-ahead log to nothing; false while a reader is in the way. */
export function checkpoint(database: DatabaseSync): boolean {
  return database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()!.busy === 0
}

function brokenPages(database: DatabaseSync, path: string): string | null {
  if (statSync(path).size > CHECKED_WHOLE_UP_TO) return null
  const found = database.prepare('PRAGMA quick_check(1)').get()!.quick_check as string
  return found === 'ok' ? null : found.replaceAll('\n', ' ')
}

async function brokenTail(database: DatabaseSync): Promise<string | null> {
  const rows = database
    .prepare(`SELECT event FROM events WHERE ${IS_THERE} ORDER BY position DESC LIMIT ?`)
    .all(CHECKED_TAIL)
  const events = rows.map(({ event }) => JSON.parse(event as string) as ChainedEvent).reverse()
  const { broken } = await verifyChain(events)
  return broken && `event ${broken.id}, revision ${broken.revision} of ${broken.stream}: ${broken.reason}`
}
