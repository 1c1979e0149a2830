import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { asAccount } from '../src/harness/client.ts'
import { loadCranfield } from './cranfield.ts'
import { PASSAGES } from './filled-server.ts'
import { send, type Call } from './http-call.ts'
import { progress } from './progress.ts'
import { median, quantile, row, type BenchRow, type BenchRows } from './row.ts'
import { sized } from './scale.ts'
import { milliseconds, rateOf } from './timing.ts'
import { commitOf, treeOf } from './tree-of.ts'

const CLIENTS = 8
/** Rounds of all queries before anything is measured: code that a service runs all day is optimised. */
const WARM_UP = sized(16, 6)
const ROUNDS = 6
const UPLOADS = sized(60, 40)
/** Turns of eight clients on either side, and what each asks. */
const TURNS = sized(16, 12)
const ASKED_A_TURN = sized(300, 150)

const ROOT = new URL('../..', import.meta.url).pathname

/** A server of either side. */
interface Side {
  url: string
  apiKey: string
  /** The item that is read. */
  item: string
  agent: Agent
  close(): Promise<void>
}

/**
 * What a client waits for, of this checkout beside a commit, each with the same library of 100 000 passages: the two take
 * turns request by request, so that a machine that is slower for a while is so for both. Rates are taken in turns of a
 * second or two.
 */
export async function* benchBeside(commit: string): BenchRows {
  const { queries } = await loadCranfield()
  const tree = treeOf(commitOf(commit))
  const texts = queries.map(({ text }) => text)
  const sides: Side[] = []
  try {
    for (const root of [tree.path, ROOT]) sides.push(await startSide(root))
    for (let round = 0; round < WARM_UP; round++) {
      progress('rounds of warming up', round, WARM_UP)
      for (const text of texts) await inTurns(sides, (side) => search(side, `${text} please ${round}`))
      for (const text of texts) await inTurns(sides, (side) => search(side, `${text} please ${round}`))
    }
    const fresh: number[][] = [[], []]
    const remembered: number[][] = [[], []]
    const read: number[][] = [[], []]
    for (let round = 0; round < ROUNDS; round++) {
      progress('rounds measured', round, ROUNDS)
      const asked = texts.map((text) => `${text} ${'again '.repeat(round)}`)
      for (const text of asked) await inTurns(sides, (side) => search(side, text), fresh)
      for (const text of asked) await inTurns(sides, (side) => search(side, text), remembered)
      for (const _ of asked) await inTurns(sides, readItem, read)
    }
    const uploaded: number[][] = [[], []]
    for (let n = 0; n < UPLOADS; n++) await inTurns(sides, (side) => upload(side, `upload ${n}`), uploaded)
    const searches = await rates(sides, (side, n) => search(side, texts[n % texts.length]!))
    const uploads = await rates(
      sides,
      (side, n, turn) => upload(side, `turn ${turn}, ${n}`),
      ASKED_A_TURN / 10,
    )
    const name = (what: string): string => `${what}, ${PASSAGES.toLocaleString('en')} passages`
    yield* [
      compared(name('search: p50 of a new query'), fresh, 'ms'),
      compared(name('search: p50 with its vector remembered'), remembered, 'ms'),
      compared(name(`search: queries a second, ${CLIENTS} clients`), searches, '1/s'),
      compared(name('GET of an item: p50'), read, 'ms'),
      compared(name('upload of a small text: p50'), uploaded, 'ms'),
      compared(name(`uploads a second, ${CLIENTS} clients`), uploads, '1/s'),
    ]
  } finally {
    for (const side of sides) await side.close()
    tree.remove()
  }
}

/** The median of either side; how they compare is the median over pairs, with the quartiles. */
function compared(name: string, [before, now]: number[][], unit: string): BenchRow {
  const ratios = now!.map((value, at) => value / before![at]!).sort((a, b) => a - b)
  return {
    ...row(name, median(before!), median(now!), unit),
    ratio: quantile(ratios, 0.5),
    spread: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
  }
}

async function startSide(root: string): Promise<Side> {
  const child = spawn(process.execPath, [join(root, 'test/bench/filled-server.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const where = Promise.withResolvers<{ url: string; apiKey: string }>()
  createInterface(child.stdout).on('line', (line) =>
    line.startsWith('{') ? where.resolve(JSON.parse(line)) : console.log(line),
  )
  void exited.then(([code]) => where.reject(new Error(`the server's process ended with ${code}`)))
  const server = await where.promise
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS })
  const { body } = await asAccount(server.url, server.apiKey).request('GET', '/v1/media?page_size=1')
  return {
    ...server,
    agent,
    item: body.data.items[0].id,
    async close() {
      agent.destroy()
      child.stdin.end()
      await exited
    },
  }
}

let turns = 0
/** Has both sides do it, now the one first and now the other; keeps the figure that each answers. */
async function inTurns(
  sides: readonly Side[],
  work: (side: Side) => Promise<number>,
  figures?: number[][],
): Promise<void> {
  const first = turns++ % 2
  for (const at of [first, 1 - first]) {
    const figure = await work(sides[at]!)
    figures?.[at]!.push(figure)
  }
}

/** How often a second eight clients of either side are answered, turn by turn. */
async function rates(
  sides: readonly Side[],
  work: (side: Side, at: number, turn: number) => Promise<unknown>,
  asked = ASKED_A_TURN,
): Promise<number[][]> {
  const figures: number[][] = [[], []]
  for (let turn = 0; turn < TURNS; turn++) {
    progress('turns', turn, TURNS)
    await inTurns(sides, (side) => rateOf(CLIENTS, asked, (at) => work(side, at, turn)), figures)
  }
  return figures
}

/** Milliseconds, as those below. */
const search = (side: Side, query: string): Promise<number> =>
  timeOf(side, {
    method: 'POST',
    path: '/v1/search',
    headers: { 'x-api-key': side.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ query, collections: 'all' }),
  })

const readItem = (side: Side): Promise<number> =>
  timeOf(side, { method: 'GET', path: `/v1/media/${side.item}`, headers: { 'x-api-key': side.apiKey } })

const timeOf = async ({ url, agent }: Side, call: Call): Promise<number> =>
  (await send(agent, url, call)).milliseconds

const upload = ({ url, apiKey }: Side, text: string): Promise<number> =>
  milliseconds(async () => {
    const { status, body } = await asAccount(url, apiKey).upload(
      `${text}.txt`,
      `${text}: a few words about glaciers.`,
    )
    if (status !== 200) throw new Error(`an upload was answered ${status}: ${JSON.stringify(body)}`)
  })
