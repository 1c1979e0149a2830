import { randomUUID } from 'node:crypto'
import { batchWhere } from '../../src/harness/batches.ts'
import { asAccount, type Client } from '../../src/harness/client.ts'
import { startServer, temporaryDataFolder } from '../../src/harness/server.ts'
import { quantile, row, type BenchRows } from '../row.ts'
import { sized } from '../scale.ts'

const FILES = sized(25, 2)
const ROUNDS = sized(7)

/**
 * A batch of 25 small texts from its upload until its bill is settled, by a service whose batches Temporal carries against
 * one that carries them itself. The two take turns.
 */
export async function* benchBatches(address: string): BenchRows {
  await using embedded = await service({})
  await using temporal = await service({
    TEMPORAL_ADDRESS: address,
    TEMPORAL_TASK_QUEUE: `bench-${randomUUID()}`,
  })
  const times = { embedded: [] as number[], temporal: [] as number[] }
  // The first round warms up.
  for (let round = -1; round < ROUNDS; round++) {
    const taken = [await batch(embedded.client), await batch(temporal.client)] as const
    if (round < 0) continue
    times.embedded.push(taken[0])
    times.temporal.push(taken[1])
  }
  const median = (values: number[]) =>
    quantile(
      values.sort((a, b) => a - b),
      0.5,
    )
  const name = `Temporal: a batch of ${FILES} small files, against embedded`
  yield row(name, median(times.embedded), median(times.temporal), 'ms')
}

async function service(env: Record<string, string>): Promise<{ client: Client } & AsyncDisposable> {
  const folder = await temporaryDataFolder()
  const server = await startServer({ dataFolder: folder.path, env })
  return {
    client: asAccount(server.url, server.apiKey!),
    async [Symbol.asyncDispose]() {
      await server.stop()
      await folder.remove()
    },
  }
}

/** Milliseconds. */
async function batch(client: Client): Promise<number> {
  const files = Array.from({ length: FILES }, (_, n) => ({
    filename: `note-${n}.txt`,
    bytes: `Note ${n} of ${randomUUID()}: what the harbour master wrote down that day.`,
  }))
  const begun = performance.now()
  const { status, body } = await client.batch(files)
  if (status !== 200) throw new Error(`a batch answered ${status}: ${JSON.stringify(body)}`)
  const ended = await batchWhere(client, body.data.batch_id, ({ status }) =>
    ['completed', 'failed'].includes(status),
  )
  if (ended.progress.successful !== FILES)
    throw new Error(`not all files were stored: ${JSON.stringify(ended)}`)
  return performance.now() - begun
}
