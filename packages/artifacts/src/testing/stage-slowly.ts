import { setTimeout as pause } from 'node:timers/promises'
import { openFsStaging } from '../fs/staging.ts'

/** Stages a file that never ends, 64 KiB at a time, until it is killed; prints its own memory in MiB as it goes. */
const staging = await openFsStaging(process.argv[2]!)
async function* endless(): AsyncGenerator<Uint8Array> {
  for (let chunk = 0; ; chunk++) {
    yield Buffer.alloc(65_536, chunk)
    if (chunk % 800 === 0) {
      console.log(Math.round(process.memoryUsage.rss() / 1_048_576))
      await pause(1)
    }
  }
}
await staging.stage(endless(), () => Infinity)
