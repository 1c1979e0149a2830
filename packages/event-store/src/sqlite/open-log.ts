import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describeBroken } from '../chain.ts'
import { moveProvenMark, readProvenMark } from './proven-mark.ts'
import { Prover } from './prover.ts'
import { prepareLog, whyNotALog } from './schema.ts'
import { isDamage, messageOf } from './sqlite-error.ts'

/** Checking every page costs about 1 ms/MB from the page cache: larger logs are opened without. */
const PAGES_CHECKED_UP_TO = 1_073_741_824
/** A log of so many events is proven as a whole at every start: about 0.4 s. */
const PROVEN_WHOLE_UP_TO = 50_000
/** Events at the end that are proven at every start of a longer one, whatever was proven before. */
const PROVEN_TAIL = 1_000

export type OpenedLog = { kind: 'open'; database: DatabaseSync } | { kind: 'damaged'; what: string }

/**
 * Opens the log for its one writer, or makes it. A write-ahead log that a crash left behind is
 * recovered (what was acknowledged is in it) and emptied; what cannot be a crash's doing is said.
 */
export function openLog(path: string): OpenedLog {
  const database = new DatabaseSync(path, { timeout: 1_000 })
  try {
    const what = whyNotALog(database) ?? prepared(database, path)
    if (what === null) return { kind: 'open', database }
    database.close()
    return { kind: 'damaged', what }
  } catch (error) {
    database.close()
    if (isDamage(error)) return { kind: 'damaged', what: messageOf(error) }
    throw error
  }
}

function prepared(database: DatabaseSync, path: string): string | null {
  prepareLog(database)
  const what = brokenPages(database, path) ?? brokenChain(database)
  if (what === null) checkpoint(database)
  return what
}

/** Moves everything into the main file and cuts the write-ahead log to nothing; false while a reader is in the way. */
export function checkpoint(database: DatabaseSync): boolean {
  return database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()!.busy === 0
}

function brokenPages(database: DatabaseSync, path: string): string | null {
  if (statSync(path).size > PAGES_CHECKED_UP_TO) return null
  const found = database.prepare('PRAGMA quick_check(1)').get()!.quick_check as string
  return found === 'ok' ? null : found.replaceAll('\n', ' ')
}

/** Proves what was not proven before, and notes that it is now. */
function brokenChain(database: DatabaseSync): string | null {
  const { position: proven, contradicted } = readProvenMark(database)
  if (contradicted) return contradicted
  const prover = new Prover(database)
  const head = prover.head()
  let position = head <= PROVEN_WHOLE_UP_TO ? 0 : Math.min(proven, head - PROVEN_TAIL)
  while (position < head) {
    const { last, broken } = prover.page(position, head)
    if (broken) return describeBroken(broken)
    position = last
  }
  moveProvenMark(database, head)
  return null
}
