import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { longRecording } from '@medialog/understanding/testing/long-recording'
import { openAccount } from '../src/harness/accounts.ts'
import { asAccount, asOperator, type Client } from '../src/harness/client.ts'
import { startServer, temporaryDataFolder } from '../src/harness/server.ts'
import { ATTACKS, LARGE_FILES, type AttackName, type AttackOrder } from './attacks.ts'
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
  const { server, open, close } = await startMeasured()
  try {
    const [own, other] = [await open('own'), await open('other')]
    const client = asAccount(server.url, own)
    // Warms it up.
    await timesOf(client)
    const quiet = watchMemory(server.pid)
    const alone = await timesOf(client)
    const memoryAlone = quiet.end()
    const names = Object.keys(ATTACKS) as AttackName[]
    for (const [name, attacks] of [
      ...names.map((one) => [one, [one]] as const),
      ['all of them', names] as const,
    ]) {
      const order: AttackOrder = { url: server.url, apiKey: other, attacks }
      const memory = watchMemory(server.pid)
      const attacker = new Worker(new URL('./attacks.ts', import.meta.url), { workerData: order })
      await once(attacker, 'message')
      await new Promise((resolve) => setTimeout(resolve, BEGUN_MS))
      const beside = await timesOf(client)
      await attacker.terminate()
      yield row(`beside ${name}: p50`, quantile(alone, 0.5), quantile(beside, 0.5), 'ms')
      yield row(`beside ${name}: slowest`, alone.at(-1)!, beside.at(-1)!, 'ms')
      yield row(`beside ${name}: most memory`, memoryAlone, memory.end(), 'MB')
    }
  } finally {
    await close()
  }
}

/** A service, and what opens an account in it and answers its key. */
async function startMeasured() {
  const folder = await temporaryDataFolder()
  const server = await startServer({
    dataFolder: folder.path,
    env: { MEDIALOG_RATE_LIMITS: 'standard=1000000', MEDIALOG_BATCH_MEGABYTES: 'standard=1000' },
  })
  const operator = asOperator(server.url, server.operatorToken)
  return {
    server,
    open: async (name: string): Promise<string> =>
      (await openAccount(operator, { name, credit: 1_000, tier: 'standard' })).apiKey,
    close: async (): Promise<void> => {
      await server.stop()
      await folder.remove()
    },
  }
}

/** Of each kind so many files in one batch, at every scale: it must outlast the texts. */
const BATCH = 25
/** Small texts beside each of them: enough that those of its first seconds, while its readers start, are a part. */
const TEXTS_BESIDE_BATCH = sized(200, 3)

/** A small text is stored alone, and beside a batch of large files of the same account. */
export async function* benchOwnBatch(): BenchRows {
  const { server, open, close } = await startMeasured()
  try {
    const client = asAccount(server.url, await open('own'))
    await timesOf(client)
    const alone = await timesOf(client, TEXTS_BESIDE_BATCH)
    for (const [kind, make] of Object.entries(LARGE_FILES)) {
      const files = Array.from({ length: BATCH }, (_, number) => make(number))
      const { body } = await client.batch(files)
      await new Promise((resolve) => setTimeout(resolve, BEGUN_MS))
      const path = `/v1/batches/${body.data.batch_id}`
      const beside: number[] = []
      for (;;) {
        const [time] = await timesOf(client, 1)
        const { body: now } = await client.request('GET', path)
        if (now.data.progress.pending === 0) break
        beside.push(time!)
        if (beside.length === TEXTS_BESIDE_BATCH) break
      }
      beside.sort((one, other) => one - other)
      await client.request('PUT', `${path}/state`)
      yield row(`beside its own batch of ${kind}: p50`, quantile(alone, 0.5), quantile(beside, 0.5), 'ms')
      yield row(`beside its own batch of ${kind}: p95`, quantile(alone, 0.95), quantile(beside, 0.95), 'ms')
    }
  } finally {
    await close()
  }
}

/** Of a reader, 21 seconds each: ten minutes. */
const READINGS = sized(28, 1)
const READING_SECONDS = 21.18

/** A recording is written down: against the time that it plays, and beside small texts of another account. */
export async function* benchSpeech(): BenchRows {
  const { server, open, close } = await startMeasured()
  try {
    const speaker = asAccount(server.url, await open('speaker'))
    const client = asAccount(server.url, await open('own'))
    // Loads the model.
    await speaker.upload('warm.wav', await longRecording(1))
    await timesOf(client)
    const quiet = watchMemory(server.pid)
    const alone = await timesOf(client, TEXTS_BESIDE_BATCH)
    const memoryAlone = quiet.end()
    const hear = async (readings: number): Promise<number> => {
      const bytes = await longRecording(readings)
      const begun = performance.now()
      const { status } = await speaker.upload('read.wav', bytes, { force_overwrite: 'true' })
      if (status !== 200) throw new Error(`a recording was answered ${status}`)
      return (performance.now() - begun) / 1_000
    }
    const playing = READINGS * READING_SECONDS
    yield row('written down, against its playing time', playing, await hear(READINGS), 's')
    const memory = watchMemory(server.pid)
    let isHeard = false
    const heard = hear(READINGS).finally(() => (isHeard = true))
    const beside: number[] = []
    while (!isHeard) beside.push(...(await timesOf(client, 1)))
    await heard
    beside.sort((one, other) => one - other)
    yield row(
      'a small text of another account beside it: p50',
      quantile(alone, 0.5),
      quantile(beside, 0.5),
      'ms',
    )
    yield row(
      'a small text of another account beside it: p95',
      quantile(alone, 0.95),
      quantile(beside, 0.95),
      'ms',
    )
    yield row('most memory', memoryAlone, memory.end(), 'MB')
  } finally {
    await close()
  }
}

let written = 0
/** Milliseconds, sorted. */
async function timesOf(client: Client, texts = TEXTS): Promise<number[]> {
  const times: number[] = []
  for (let text = 0; text < texts; text++) {
    const content = `Note ${++written}: Ada Lovelace wrote of the engine in London, and the harbour was calm.`
    const begun = performance.now()
    const { status } = await client.upload(`note-${written}.txt`, content)
    if (status !== 200) throw new Error(`an upload was answered ${status}`)
    times.push(performance.now() - begun)
  }
  return times.sort((a, b) => a - b)
}

/** Of a process and all that it has started: the most resident memory while it is watched, in MB. Linux alone. */
function watchMemory(pid: number): { end(): number } {
  let most = 0
  const look = (): void => {
    most = Math.max(most, residentOf(pid))
  }
  const timer = setInterval(look, 100)
  look()
  return {
    end() {
      clearInterval(timer)
      return most
    },
  }
}

function residentOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1')
    const kilobytes = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0)
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean)
    return children.map(Number).reduce((sum, child) => sum + residentOf(child), kilobytes / 1024)
  } catch {
    return 0
  }
}
