import { dirname } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { makeFolder } from './make-folder.ts'

/** Between two looks at how far it is: about 4 MB. */
const PAGES_AT_ONCE = 1_000

/**
 * Copies a database as it is at one moment, also under writes, into a new file that lies there without a
 * write-ahead log. The snapshot is held until the copy is whole: what is erased meanwhile is wiped from the original
 * after that. @param onProgress receives the part that is done, from 0 to 1
 */
export async function copyDatabase(
  from: string,
  to: string,
  onProgress: (ratio: number) => void = () => undefined,
): Promise<void> {
  makeFolder(dirname(to))
  const source = new DatabaseSync(from, { readOnly: true, timeout: 5_000 })
  try {
    // Within a transaction of the source's connection the copy never begins again, however much is written.
    source.exec('BEGIN')
    source.prepare('SELECT count(*) FROM sqlite_schema').get()
    await backup(source, to, {
      rate: PAGES_AT_ONCE,
      progress: ({ totalPages, remainingPages }) =>
        onProgress(totalPages === 0 ? 1 : 1 - remainingPages / totalPages),
    })
    onProgress(1)
  } finally {
    source.close()
  }
  const copy = new DatabaseSync(to)
  try {
    copy.exec('PRAGMA journal_mode = DELETE')
  } finally {
    copy.close()
  }
}
