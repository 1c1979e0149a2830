import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Wiping } from './wiping.ts'

test('wiping waits for a transaction of its own connection, and does not fail', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'medialog-wiping-'))
  const path = join(folder, 'a.sqlite')
  const database = new DatabaseSync(path)
  const failures: Error[] = []
  const wiping = new Wiping(database, (error) => failures.push(error))
  try {
    database.exec('PRAGMA journal_mode = WAL; CREATE TABLE text (line TEXT); BEGIN')
    database.exec("INSERT INTO text VALUES ('first')")
    wiping.schedule(1)
    const wiped = wiping.flush()
    expect(wiping.unwiped).toEqual({ removals: 1, error: null })
    database.exec("INSERT INTO text VALUES ('second'); COMMIT")
    await wiped
    expect(failures).toEqual([])
    expect(wiping.unwiped).toEqual({ removals: 0, error: null })
    expect(statSync(`${path}-wal`).size).toBe(0)
  } finally {
    wiping.stop()
    database.close()
    rmSync(folder, { recursive: true })
  }
})
