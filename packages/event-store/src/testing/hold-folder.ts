import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { DataFolderInUse } from '../errors.ts'
import { lockDataFolder } from '../sqlite/lock.ts'

/** Takes the folder, keeps no reference to the lock, and holds it until it is killed; or prints why it cannot. */
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

try {
  lockDataFolder(process.argv[2]!)
  collectGarbage()
  await pause(1)
  collectGarbage()
  console.log(`held by ${process.pid}`)
  await pause(60_000)
} catch (error) {
  console.log(error instanceof DataFolderInUse ? `refused: ${error.message}` : String(error))
}
