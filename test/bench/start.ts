import { startServer, temporaryDataFolder } from '../src/harness/server.ts'
import { fillLog } from './fill-log.ts'
import { quantile, row, type BenchRows } from './row.ts'
import { sized } from './scale.ts'

const EVENTS = sized(100_000)
const STARTS = sized(5)

/** From starting the process until it is ready to serve: with 100 000 events in the log, against a new data folder's. */
export async function* benchStart(): BenchRows {
  const folder = await temporaryDataFolder()
  try {
    const empty = await readyAfter(folder.path)
    await fillLog(folder.path, EVENTS)
    // The first start after that makes rows of them.
    const catchingUp = await startAndStop(folder.path)
    const full = await readyAfter(folder.path)
    yield* [
      row(`ready with ${EVENTS} events, against a log of 3`, empty, full, 'ms'),
      row(`ready with ${EVENTS} events whose rows are still to be made`, empty, catchingUp, 'ms'),
    ]
  } finally {
    await folder.remove()
  }
}

async function startAndStop(dataFolder: string): Promise<number> {
  const begun = performance.now()
  const server = await startServer({ dataFolder, readyWithinMs: 120_000 })
  const ready = performance.now() - begun
  await server.stop()
  return ready
}

async function readyAfter(dataFolder: string): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < STARTS; n++) times.push(await startAndStop(dataFolder))
  return quantile(
    times.sort((a, b) => a - b),
    0.5,
  )
}
