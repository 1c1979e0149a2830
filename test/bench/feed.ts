import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId, startAccountEvents, type EventStore } from '@medialog/application'
import { encodeEvent } from '@medialog/contract'
import { type LogPosition, type NewEvent, type Revision, type StreamName } from '@medialog/kernel'
import { readConfig, startService } from '@medialog/server'
import { openAccount } from '../src/harness/accounts.ts'
import { asAccount, asOperator } from '../src/harness/client.ts'
import { temporaryDataFolder } from '../src/harness/server.ts'
import { quantile, row, type BenchRow, type BenchRows } from './row.ts'
import { sized } from './scale.ts'

const FOLLOWERS = 10
const A_SECOND = 1_000
/** Appended one by one, at so many a second. */
const EVENTS = sized(10 * A_SECOND)
const TICK_MS = 10
/** What an account that comes back reads, of which a hundredth is its own. */
const LOG = sized(100_000, 5_000)
const OWN_EVERY = 100
const OPERATOR_TOKEN = 'the operator of a benchmark'
/** What the feed is to keep. */
const GOAL = { latencyMs: 50, delivered: A_SECOND * FOLLOWERS }

/**
 * From the moment at which an event was given to the log to that at which a client in another process has it, with ten of them
 * following one account that grows by 1 000 events a second, against the goals. And how fast a log is read by an account
 * that comes back to a hundredth of it, against reading the log and doing nothing with it.
 */
export async function* benchFeed(): BenchRows {
  const folder = await temporaryDataFolder()
  let log: EventStore | null = null
  const config = readConfig({
    MEDIALOG_DATA_DIR: folder.path,
    PORT: '0',
    MEDIALOG_OPERATOR_TOKEN: OPERATOR_TOKEN,
  })
  const service = await startService(config, {
    adapt: (engines) => {
      log = engines.eventStore
      return engines
    },
  })
  try {
    yield* delivered(log!, service.url)
    yield await caughtUp(log!)
  } finally {
    await service.close()
    await folder.remove()
  }
}

async function* delivered(log: EventStore, url: string): BenchRows {
  const operator = asOperator(url, OPERATOR_TOKEN)
  const { accountId, apiKey } = await openAccount(operator, { name: 'followed', tier: 'enterprise' })
  await asAccount(url, apiKey).request('GET', '/v1/usage')
  const child = spawn(
    process.execPath,
    [new URL('feed-followers.ts', import.meta.url).pathname, url, apiKey, String(FOLLOWERS), String(EVENTS)],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  const lines = createInterface(child.stdout)
  await once(lines, 'line')
  const given = await appendSteadily(log, accountId)
  child.stdin.end()
  const [report] = (await once(lines, 'line')) as [string]
  const arrivals = JSON.parse(report) as number[][]
  const latencies = arrivals
    .flatMap((at) => at.map((arrival, number) => arrival - given[number]!))
    .toSorted((a, b) => a - b)
  const seconds = (Math.max(...arrivals.flat()) - given[0]!) / 1_000
  const name = `${A_SECOND} events/s to ${FOLLOWERS}: appended to delivered`
  yield* [
    row(`${name}, p50`, GOAL.latencyMs, quantile(latencies, 0.5), 'ms'),
    row(`${name}, p99`, GOAL.latencyMs, quantile(latencies, 0.99), 'ms'),
    row('delivered', GOAL.delivered, (EVENTS * FOLLOWERS) / seconds, 'events/s'),
  ]
}

const credit = (number: number, accountId: string): NewEvent => ({
  id: newId(),
  ...encodeEvent({
    type: 'BalanceCredited',
    creditId: String(number),
    amount: 1n,
    reference: null,
    at: Date.now(),
  }),
  metadata: { timestamp: new Date().toISOString(), actor: 'bench', accountId },
})

/** When each was given to the log, by its number: an answer may be heard here after the event elsewhere. */
async function appendSteadily(log: EventStore, accountId: string): Promise<number[]> {
  const stream: StreamName = `ledger-${accountId}`
  const given: number[] = []
  const appends: Promise<void>[] = []
  const append = async (number: number): Promise<void> => {
    given[number] = performance.timeOrigin + performance.now()
    await log.append(stream, number === 0 ? 'no-stream' : number - 1, [credit(number, accountId)])
  }
  const started = performance.now()
  for (let number = 0; number < EVENTS;) {
    const due = Math.min(EVENTS, Math.ceil(((performance.now() - started) * A_SECOND) / 1_000))
    while (number < due) appends.push(append(number++))
    await sleep(TICK_MS)
  }
  await Promise.all(appends)
  return given
}

async function caughtUp(log: EventStore): Promise<BenchRow> {
  const [own, other] = [newId(), newId()]
  const after = await log.head()
  const at: { [account: string]: Revision } = { [own]: -1, [other]: -1 }
  for (let number = 0; number < LOG; number += OWN_EVERY)
    for (const [accountId, count] of [
      [own, 1],
      [other, OWN_EVERY - 1],
    ] as const) {
      const revision = at[accountId]!
      const events = Array.from({ length: count }, (_, n) => credit(number + n, accountId))
      const stream: StreamName = `ledger-${accountId}`
      at[accountId] = (await log.append(stream, revision < 0 ? 'no-stream' : revision, events)).revision
    }
  const seconds = { bare: Infinity, feed: Infinity }
  for (let round = 0; round < 3; round++) {
    seconds.bare = Math.min(seconds.bare, await timed(() => readOnly(log, after)))
    seconds.feed = Math.min(seconds.feed, await timed(() => readOwn(log, own, after)))
  }
  return row(`catching up, 1 of ${OWN_EVERY} its own`, LOG / seconds.bare, LOG / seconds.feed, 'events/s')
}

async function readOnly(log: EventStore, after: LogPosition): Promise<void> {
  let count = 0
  for await (const _ of log.readAll(after)) count++
  if (count < LOG) throw new Error(`${count} events were read of ${LOG}`)
}

async function readOwn(log: EventStore, accountId: string, after: LogPosition): Promise<void> {
  const background = { pause: async () => undefined }
  const feed = startAccountEvents({ eventStore: log, background })
  const leaving = new AbortController()
  let count = 0
  for await (const { events, live } of feed.follow(accountId, after, { signal: leaving.signal })) {
    count += events.length
    if (live) break
  }
  leaving.abort()
  await feed.close()
  if (count !== LOG / OWN_EVERY) throw new Error(`${count} events were told of ${LOG / OWN_EVERY}`)
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now()
  await work()
  return (performance.now() - started) / 1_000
}
