import { basename } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { DatabaseSync } from 'node:sqlite'
import type { LogScavenger, ScavengedPlace, ScavengeReport } from '@medialog/application/ports'
import { IS_THERE } from './schema.ts'

const AT_ONCE = 512
const PAGE = `
  SELECT position, CASE WHEN ${IS_THERE} THEN NULL ELSE event END AS erased FROM events
  WHERE position > ? ORDER BY position LIMIT ${AT_ONCE}`

/**
 * What a truncation takes away is overwritten before it is answered, so nothing is left to take out: this looks whether
 * that is so, row by row, until it is done or `signal` aborts. The rows stay: a database that moves rows about leaves
 * copies of others behind.
 */
export async function proveErased(
  path: string,
  onProgress: Parameters<LogScavenger['scavenge']>[0],
  signal: AbortSignal,
): Promise<ScavengeReport> {
  const begun = performance.now()
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  try {
    const head = Number(database.prepare('SELECT max(position) AS head FROM events').get()!['head'] ?? 0)
    const page = database.prepare(PAGE)
    let erased = 0
    let kept: number | null = null
    for (let position = 0; position < head && kept === null && !signal.aborted; await nextTurn()) {
      const rows = page.all(position) as unknown as { position: number; erased: Uint8Array | null }[]
      for (const row of rows) {
        if (row.erased === null) continue
        if (row.erased.every((byte) => byte === 0)) erased++
        else kept ??= row.position
      }
      position = rows.at(-1)?.position ?? head
      onProgress({ ratio: position / head, message: `looking at what was erased: ${position} of ${head}` })
    }
    const place: ScavengedPlace = {
      name: basename(path),
      outcome: kept !== null ? 'failed' : signal.aborted ? 'stopped' : 'done',
      freedBytes: 0,
      said:
        kept !== null
          ? `the event at position ${kept} was erased, and other bytes are in its row`
          : `${erased} erased events are zeros in the file: nothing was left to take out`,
    }
    return { places: [place], seconds: (performance.now() - begun) / 1_000 }
  } finally {
    database.close()
  }
}
