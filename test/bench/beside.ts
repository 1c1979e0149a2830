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
/** Of processes, one pair after the other. */
const PAIRS = sized(4, 2)
/** Of each pair, rounds of all queries before anything is measured: code that a service runs all day is optimised. */
const WARM_UP = sized(6, 2)
/** Even, as UPLOADS and TURNS are: see `compared`. */
const ROUNDS = 2
const UPLOADS = 2 * sized(10, 5)
/** Turns of eight clients on either side after one that warms up, and what each asks. */
const TURNS = 6
const SEARCHED_A_TURN = sized(450, 120)
const UPLOADED_A_TURN = sized(45, 10)

const ROOT = new URL('../..', import.meta.url).pathname

/** A server of either side. */
interface Side {
  url: string
  apiKey: string
  /** The item that is read. */
  item: string
  agent: Agent
  restart(): Promise<void>
  close(): Promise<void>
}

/**
 * What a client waits for, of this checkout beside a commit, each with the same library of 100 000 passages: the two take
 * turns request by request, so that a machine that is slower for a while is so for both. Rates are taken in turns of
 * about a second. Two processes of the same code differ by a twentieth, so several pairs of them are measured.
 */
export async function* benchBeside(commit: string): BenchRows {
  const { queries } = await loadCranfield()
  const tree = treeOf(commitOf(commit))
  const texts = queries.slice(0, sized(queries.length, 100)).map(({ text }) => text)
  const sides: Side[] = []
  try {
    for (const root of [tree.path, ROOT]) sides.push(await startSide(root))
    const pairs: Figures[] = []
    for (let pair = 0; pair < PAIRS; pair++) {
      if (pair > 0) for (const side of pair % 2 ? sides.toReversed() : sides) await side.restart()
      pairs.push(await measure(sides, texts, pair))
    }
    const all = (what: keyof Figures) =>
      [0, 1].map((side) => pairs.flatMap((figures) => figures[what][side]!))
    const name = (what: string): string => `${what}, ${PASSAGES.toLocaleString('en')} passages`
    yield* [
      compared(name('search: p50 of a new query'), all('fresh'), 'ms'),
      compared(name('search: p50 with its vector remembered'), all('remembered'), 'ms'),
      compared(name(`search: queries a second, ${CLIENTS} clients`), all('searches'), '1/s'),
      compared(name('GET of an item: p50'), all('read'), 'ms'),
      compared(name('upload of a small text: p50'), all('uploaded'), 'ms'),
      compared(name(`uploads a second, ${CLIENTS} clients`), all('uploads'), '1/s'),
    ]
  } finally {
    for (const side of sides) await side.close()
    tree.remove()
  }
}

type Figures = Awaited<ReturnType<typeof measure>>

/** What is measured of two running servers, of either side. */
async function measure(sides: readonly Side[], texts: readonly string[], pair: number) {
  for (let round = 0; round < WARM_UP; round++) {
    progress('rounds of warming up', pair * WARM_UP + round, PAIRS * WARM_UP)
    for (const text of texts) await inTurns(sides, (side) => search(side, `${text} please ${round}`))
    for (const text of texts) await inTurns(sides, (side) => search(side, `${text} please ${round}`))
  }
  const fresh: number[][] = [[], []]
  const remembered: number[][] = [[], []]
  const read: number[][] = [[], []]
  for (let round = 0; round < ROUNDS; round++) {
    progress('rounds measured', pair * ROUNDS + round, PAIRS * ROUNDS)
    const asked = texts.map((text) => `${text} ${'again '.repeat(round)}`)
    for (const text of asked) await inTurns(sides, (side) => search(side, text), fresh)
    for (const text of asked) await inTurns(sides, (side) => search(side, text), remembered)
    for (const _ of asked) await inTurns(sides, readItem, read)
  }
  const uploaded: number[][] = [[], []]
  for (let n = 0; n < UPLOADS; n++)
    await inTurns(sides, (side) => upload(side, `upload ${pair} ${n}`), uploaded)
  const searches = await rates(sides, SEARCHED_A_TURN, (side, n) => search(side, texts[n % texts.length]!))
  const uploads = await rates(sides, UPLOADED_A_TURN, (side, n, turn) =>
    upload(side, `turn ${pair} ${turn}, ${n}`),
  )
  return { fresh, remembered, read, uploaded, searches, uploads }
}

/**
 * The median of either side; how they compare is the median over every two turns, with the quartiles. In one of the two
 * a side comes first and in the other second, after what the other side has left in the processor's caches: of single turns
 * half the ratios are as much above the true one as the others are below, and their median is one or the other.
 */
function compared(name: string, [before, now]: number[][], unit: string): BenchRow {
  const ofTwo = (figures: number[], at: number): number => figures[at]! + figures[at + 1]!
  const ratios: number[] = []
  for (let at = 0; at < now!.length; at += 2) ratios.push(ofTwo(now!, at) / ofTwo(before!, at))
  ratios.sort((a, b) => a - b)
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
  const said = createInterface(child.stdout)[Symbol.asyncIterator]()
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS })
  const { url, apiKey } = await address()
  const { body } = await asAccount(url, apiKey).request('GET', '/v1/media?page_size=1')
  const side = {
    url,
    apiKey,
    item: body.data.items[0].id,
    agent,
    async restart() {
      child.stdin.write('again\n')
      side.url = (await address()).url
    },
    async close() {
      agent.destroy()
      child.stdin.end()
      await exited
    },
  }
  return side

  /** Where its server is now; what else it says is for people. */
  async function address(): Promise<{ url: string; apiKey: string }> {
    for (;;) {
      const { value, done } = await said.next()
      if (done) throw new Error(`the server's process ended with ${(await exited)[0]}`)
      if (value.startsWith('{')) return JSON.parse(value)
      console.log(value)
    }
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
  asked: number,
  work: (side: Side, at: number, turn: number) => Promise<unknown>,
): Promise<number[][]> {
  const figures: number[][] = [[], []]
  for (let turn = 0; turn <= TURNS; turn++) {
    progress('turns', turn, TURNS + 1)
    const rate = (side: Side) => rateOf(CLIENTS, asked, (at) => work(side, at, turn))
    await inTurns(sides, rate, turn === 0 ? undefined : figures)
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
