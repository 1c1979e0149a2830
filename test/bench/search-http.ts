import { Agent } from 'node:http'
import { loadCranfield, type Cranfield } from './cranfield.ts'
import { PASSAGES, startFilledServer, type FilledServer } from './filled-server.ts'
import { send } from './http-call.ts'
import { progress } from './progress.ts'
import { median, row, type BenchRows } from './row.ts'
import { sized } from './scale.ts'
import { rateOf } from './timing.ts'

const CLIENTS = 8
/** Rounds of all queries. */
const WARM_UP = sized(16)
/** Spellings that make a query a new one of the same tokens: the model reads no capitals. */
const SPELLINGS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.toUpperCase(),
  (text) => text[0]!.toUpperCase() + text.slice(1),
  (text) => text.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()),
]

/**
 * Basic search over HTTP in a library of 100 000 passages of about 150 words made from the Cranfield texts, asked with
 * the Cranfield queries: each once (its vector has to be made), then again (its vector is remembered), filtered, and by
 * eight clients at once.
 */
export async function* benchSearchHttp(): BenchRows {
  const cranfield = await loadCranfield()
  const server = await startFilledServer(cranfield)
  try {
    yield* measure(server, cranfield)
  } finally {
    await server.close()
  }
}

async function* measure({ url, apiKey }: FilledServer, cranfield: Cranfield): BenchRows {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS })
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }
  const ask = async (query: string, filters: object = {}): Promise<number> => {
    const body = JSON.stringify({ query, collections: 'all', filters })
    return (await send(agent, url, { method: 'POST', path: '/v1/search', headers, body })).milliseconds
  }
  const texts = cranfield.queries.map(({ text }) => text)
  const round = async (spelt: (text: string) => string, filters?: object): Promise<number[]> => {
    const times: number[] = []
    for (const text of texts) times.push(await ask(spelt(text), filters))
    return times
  }
  const load = await ask('boundary layer')
  // Warms up without touching the texts that are measured as new, until V8 has optimised what a service does all day.
  for (let turn = 0; turn < WARM_UP; turn++) {
    const spelt = (text: string): string => `${text} please ${turn}`
    progress('rounds of warming up', turn, WARM_UP)
    await round(spelt)
    await round(spelt)
  }
  // In turns: when a neighbour of the machine is busy, all of them have their share of it.
  const [fresh, cached, hundredth, fifth]: [number[], number[], number[], number[]] = [[], [], [], []]
  const spellings = SPELLINGS.slice(0, sized(SPELLINGS.length))
  for (const [turn, spelt] of spellings.entries()) {
    progress('rounds measured', turn, spellings.length)
    fresh.push(...(await round(spelt)))
    cached.push(...(await round(spelt)))
    hundredth.push(...(await round(spelt, { media_type: 'image' })))
    fifth.push(...(await round(spelt, { media_type: 'video' })))
  }
  const rate = await rateOf(CLIENTS, 3 * texts.length, (at) => ask(texts[at % texts.length]!))
  agent.destroy()
  const name = (what: string): string =>
    `search over HTTP, ${PASSAGES.toLocaleString('en')} passages: ${what}`
  yield* [
    row(name('p50 of a new query (goal 6)'), 6, median(fresh), 'ms'),
    row(name('p50 with its vector remembered (goal 4)'), 4, median(cached), 'ms'),
    row(name('p50 with a filter that 1 % pass, against none'), median(cached), median(hundredth), 'ms'),
    row(name('p50 with a filter that 20 % pass, against none'), median(cached), median(fifth), 'ms'),
    row(name(`queries a second, ${CLIENTS} clients (goal 250)`), 250, rate, '1/s'),
    row(name('first query after a start (loads the index)'), 1000, load, 'ms'),
  ]
}
