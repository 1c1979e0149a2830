import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bringUpToDate } from '../embedded/migrate-folder.ts'

/** Migrates the folder $1 from format 1, and kills itself (-9) when it is at $2. */
const [folder, at] = process.argv.slice(2) as [string, string]
const die = (): void => void process.kill(process.pid, 'SIGKILL')

await bringUpToDate(
  folder,
  (what) => {
    console.log(what)
    if (at === 'copying' && what.startsWith('copying: ')) die()
  },
  {
    current: 2,
    from: new Map([
      [
        1,
        async () => {
          if (at === 'migrating') die()
          rmSync(join(folder, 'artifacts'), { recursive: true })
          writeFileSync(join(folder, 'log', 'events.sqlite'), 'half')
          die()
        },
      ],
    ]),
  },
)
