import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { eraseAgain } from '../backup/erase-again.ts'
import { summaryOf, withLog } from '../backup/read-log.ts'
import { foldersIn } from '../embedded/folders.ts'

/** Deletes and erases one item of the data folder $1, as the service does, and prints its id. */
const dataFolder = process.argv[2]!
const { log, artifacts } = foldersIn(dataFolder)
const { items } = await withLog(log, (reader) => summaryOf(reader, () => undefined))
const [item] = items.items()
await eraseAgain(dataFolder, [item!])
rmSync(join(artifacts, item!.accountId, item!.mediaId), { recursive: true })
console.log(item!.mediaId)
