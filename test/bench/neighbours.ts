import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { openAccount } from '../src/harness/accounts.ts'
import { asAccount, asOperator, type Client } from '../src/harness/client.ts'
import { startServer, temporaryDataFolder } from '../src/harness/server.ts'
import { ATTACKS, type AttackName, type AttackOrder } from './attacks.ts'
import { quantile, row, type BenchRows } from './row.ts'
import { sized } from './scale.ts'

/** Small texts of the account that is measured, one after the other. */
const TEXTS = sized(20, 3)
/** Before they are measured, so that the other account's work is in full swing. */
const BEGUN_MS = 2_000

/**
 * A small text is stored alone, and beside another account that does what it can to be in the way: the slowest and the
 * median of some texts, each against the same alone.
 */
export async function* benchNeighbours(): BenchRows {
  const folder = await temporaryDataFolder()
  const server = await startServer({
    dataFolder: folder.path,
    env: { MEDIALOG_RATE_LIMITS: 'standard=1000000', MEDIALOG_BATCH_MEGABYTES: 'standard=1000' },
  })
  try {
    const operator = asOperator(server.url, server.operatorToken)
    const open = async (name: string): Promise<string> =>
      (await openAccount(operator, { name, credit: 1_000, tier: 'standard' })).apiKey
    const [own, other] = [await open('own'), await open('other')]
    const client = asAccount(server.url, own)
    // Warms it up.
    await timesOf(client)
    const alone = await timesOf(client)
    const names = Object.keys(ATTACKS) as AttackName[]
    for (const [name, attacks] of [
      ...names.map((one) => [one, [one]] as const),
      ['all of them', names] as const,
    ]) {
      const order: AttackOrder = { url: server.url, apiKey: other, attacks }
      const attacker = new Worker(new URL('./attacks.ts', import.meta.url), { workerData: order })
      await once(attacker, 'message')
      await new Promise((resolve) => setTimeout(resolve, BEGUN_MS))
      const beside = await timesOf(client)
      await attacker.terminate()
      yield row(`beside ${name}: p50`, quantile(alone, 0.5), quantile(beside, 0.5), 'ms')
      yield row(`beside ${name}: slowest`, alone.at(-1)!, beside.at(-1)!, 'ms')
    }
  } finally {
    await server.stop()
    await folder.remove()
  }
}

let written = 0
/** Milliseconds, sorted. */
async function timesOf(client: Client): Promise<number[]> {
  const times: number[] = []
  for (let text = 0; text < TEXTS; text++) {
    const content = `Note ${++written}: Ada Lovelace wrote of the engine in London, and the harbour was calm.`
    const begun = performance.now()
    const { status } = await client.upload(`note-${written}.txt`, content)
    if (status !== 200) throw new Error(`an upload was answered ${status}`)
    times.push(performance.now() - begun)
  }
  return times.sort((a, b) => a - b)
}
