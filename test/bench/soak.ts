import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openAccount } from '../src/harness/accounts.ts'
import { asAccount, asOperator, type Answer } from '../src/harness/client.ts'
import { follow } from '../src/harness/feed.ts'
import { startServer, temporaryDataFolder, type RunningServer } from '../src/harness/server.ts'
import { prose } from './attacks.ts'
import { makeFiles } from './made-files.ts'
import { usageOf } from './process-tree.ts'
import { progress } from './progress.ts'
import { median, quantile, row, type BenchRows } from './row.ts'
import { SCALE, sized } from './scale.ts'

const ITEMS = sized(300, 30)
/** An hour, and the two parts of it that are compared: what a service grows to in the first of six is its warming up. */
const PART_MS = 600_000 * SCALE
const PARTS = 6
const SAMPLE_MS = 5_000
const SECOND = 1_000
/** Where the files go that are there for a moment. */
const BESIDE = { collection_id: 'beside' }

/**
 * A service of ITEMS items that is asked twelve times a second for an hour, each second the same: memory, descriptors, threads
 * and times of the last ten minutes beside those of the second ten.
 */
export async function* benchSoak(): BenchRows {
  const folder = await temporaryDataFolder()
  const made = mkdtempSync(join(tmpdir(), 'medialog-soak-'))
  const server = await startServer({ dataFolder: folder.path })
  try {
    const operator = asOperator(server.url, server.operatorToken)
    const { apiKey } = await openAccount(operator, { name: 'soak', credit: 10_000, tier: 'enterprise' })
    const load = await loadOf({ url: server.url, apiKey, folder: made })
    const begun = performance.now()
    const parts = Array.from({ length: PARTS }, () => ({ samples: [] as Sample[], times: [] as Timed[] }))
    const partOf = (at: number) => parts[Math.min(PARTS - 1, Math.floor((at - begun) / PART_MS))]!
    const sampling = setInterval(() => {
      const part = partOf(performance.now())
      void sampleOf(server).then((sample) => part.samples.push(sample))
    }, SAMPLE_MS)
    const requests = new Set<Promise<void>>()
    let failure: unknown
    try {
      for (let turn = 0; performance.now() - begun < PARTS * PART_MS; turn++) {
        const at = begun + (turn * SECOND) / load.length
        await sleep(Math.max(0, at - performance.now()))
        const request = load[turn % load.length]!(turn)
          .then((time) => void partOf(at).times.push(time))
          .catch((error: unknown) => void (failure ??= error))
          .finally(() => requests.delete(request))
        requests.add(request)
        if (failure !== undefined) break
        progress('requests', turn, (PARTS * PART_MS * load.length) / SECOND)
      }
      await Promise.all(requests)
      if (failure !== undefined) throw failure
    } finally {
      clearInterval(sampling)
    }
    const [, second] = parts
    const last = parts.at(-1)!
    for (const name of Object.keys(last.samples[0]!)) {
      const [early, late] = [second!, last].map(({ samples }) =>
        median(samples.map((sample) => sample[name]!)),
      )
      yield row(name, early!, late!, name.startsWith('memory') ? 'MB' : '')
    }
    for (const kind of ['search', 'upload', 'read'])
      for (const p of [0.5, 0.95]) {
        const [early, late] = [second!, last].map(({ times }) => {
          const took = times.flatMap((time) => (time.kind === kind ? [time.ms] : []))
          return quantile(
            took.toSorted((a, b) => a - b),
            p,
          )
        })
        yield row(`${kind}: p${100 * p}`, early!, late!, 'ms')
      }
  } finally {
    await server.stop()
    await folder.remove()
    rmSync(made, { recursive: true })
  }
}

/** By name: megabytes and counts. */
type Sample = Record<string, number>

async function sampleOf({ url, pid, operatorToken }: RunningServer): Promise<Sample> {
  const headers = { authorization: `Bearer ${operatorToken}` }
  const metrics = await (await fetch(`${url}/metrics`, { headers })).text()
  const sample: Sample = {
    'memory of all processes': usageOf(pid).memory / 1e6,
    'open descriptors': readdirSync(`/proc/${pid}/fd`).length,
    threads: readdirSync(`/proc/${pid}/task`).length,
  }
  for (const [, part, bytes] of metrics.matchAll(/^medialog_memory_bytes\{part="(\w+)".*\} (\d+)$/gm))
    sample[`memory: ${part}`] = (sample[`memory: ${part}`] ?? 0) + Number(bytes) / 1e6
  return sample
}

interface Timed {
  kind: string
  ms: number
}

interface Asked {
  url: string
  apiKey: string
  /** For files that are made. */
  folder: string
}

/** A second of requests, one after the other; an answer that is not the expected one ends the run. */
async function loadOf({ url, apiKey, folder }: Asked): Promise<((turn: number) => Promise<Timed>)[]> {
  const client = asAccount(url, apiKey)
  const words = prose().split(/\s+/)
  const someWords = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) => words[(from * 37 + at) % words.length]).join(' ')
  const files = Object.values(makeFiles(folder))
  let written = 0
  const items: string[] = []
  const write = async (): Promise<Answer> => {
    const answer = await client.upload(`note-${++written}.txt`, `${written}: ${someWords(written, 140)}`)
    if (answer.status === 200) items.push(answer.body.data.media_id)
    return answer
  }
  while (items.length < ITEMS) await write()

  const timed = async (kind: string, work: Promise<Answer>, expected = 200): Promise<Timed> => {
    const begun = performance.now()
    const { status, body } = await work
    if (status !== expected) throw new Error(`${kind} was answered ${status}: ${JSON.stringify(body)}`)
    return { kind, ms: performance.now() - begun }
  }
  const search = (turn: number) =>
    timed('search', client.request('POST', '/v1/search', { json: { query: someWords(turn, 5) } }))
  const read = (turn: number) =>
    timed('read', client.request('GET', `/v1/media/${items.at(-1 - (turn % (items.length >> 1)))}`))
  const list = () => timed('list', client.request('GET', '/v1/media?page_size=20'))
  /** What comes now and then, each in its turn. */
  const others: ((turn: number) => Promise<Timed>)[] = [
    () => timed('unknown key', asAccount(url, 'mlk_unknown').request('GET', '/v1/media'), 401),
    () => timed('bad request', client.request('POST', '/v1/search', { json: { query: 7 } }), 400),
    () => timed('unreadable file', client.upload('broken.pdf', '%PDF-1.7 and no more'), 400),
    async () => {
      const took = await timed('file', client.uploadFile(files[other % files.length]!, BESIDE))
      await removed()
      return took
    },
    async (turn) => {
      const batch = [0, 1, 2].map((at) => ({ filename: `${at}.txt`, bytes: someWords(turn + at, 50) }))
      const took = await timed('batch', client.batch(batch, BESIDE))
      await sleep(5_000)
      await removed()
      return took
    },
    (turn) => {
      const json = { items: items.slice(-2) }
      return timed('move', client.request('POST', `/v1/media/collections/c${turn % 5}/items`, { json }))
    },
    (turn) =>
      timed('question', client.request('POST', '/v1/ai/query', { json: { query: someWords(turn, 4) } })),
    async () => {
      const follower = await follow(url, { 'x-api-key': apiKey })
      await sleep(5_000)
      follower.leave()
      return { kind: 'feed', ms: 0 }
    },
  ]
  const removed = () =>
    timed('removal', client.request('DELETE', `/v1/media/collections/${BESIDE.collection_id}`))
  let other = 0
  return [
    () => timed('upload', write()),
    search,
    search,
    search,
    search,
    search,
    read,
    read,
    read,
    list,
    () => timed('deletion', client.request('DELETE', `/v1/media/${items.shift()}`)),
    (turn) => others[other++ % others.length]!(turn),
  ]
}
