import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { jsonEvent, NO_STREAM } from '@eventstore/db-client'
import type { ChainedEventStore } from '@medialog/event-store'
import { connect, type Connection } from '@medialog/event-store/eventstoredb/connection'
import { openEventStoreDb } from '@medialog/event-store/eventstoredb/store'
import type { StreamName } from '@medialog/kernel'
import { charge } from '../charges.ts'
import { row, type BenchRow, type BenchRows } from '../row.ts'
import { sized } from '../scale.ts'

const ROUNDS = sized(20)
const APPENDS_A_ROUND = { 1: sized(50, 5), 32: 32 * sized(20, 2) }
const DOUBLE = new URL('double.ts', import.meta.url).pathname

/**
 * Appends a second through the adapter, by writers who each wait for their append before the next, against the bare
 * client that appends the same JSON at the same revisions and reads nothing back. The two take turns in one run. Without
 * a server against its double in a process of its own, which keeps its log in memory: then the ratio says what the adapter
 * adds, and nothing of a server's disk.
 */
export async function* benchServerLog(address: string | null): BenchRows {
  await using server = address === null ? await startDouble() : { url: address, ...NOTHING_TO_CLOSE }
  const store = await openEventStoreDb({ url: server.url, prefix: `bench-${randomUUID()}.` })
  const bare = connect(server.url)
  try {
    const on = address === null ? 'the double of EventStoreDB' : 'EventStoreDB'
    yield await compare(on, store, bare, 1)
    yield await compare(on, store, bare, 32)
  } finally {
    await bare.close()
    await store.close()
  }
}

async function compare(
  on: string,
  store: ChainedEventStore,
  bare: Connection,
  writers: 1 | 32,
): Promise<BenchRow> {
  const each = APPENDS_A_ROUND[writers] / writers
  const text = await recorded(store)
  const spent = { store: 0, bare: 0 }
  let appends = 0
  for (let round = -2; round < ROUNDS; round++) {
    const ours = await timed(writers, () => throughStore(store, each))
    const theirs = await timed(writers, () => throughClient(bare, each, text))
    // The first rounds warm up.
    if (round < 0) continue
    spent.store += ours
    spent.bare += theirs
    appends += writers * each
  }
  const rate = (milliseconds: number) => Math.round((1_000 * appends) / milliseconds)
  const name = `${on}: append, ${writers} writer${writers > 1 ? 's' : ''}, against the bare client`
  return row(name, rate(spent.bare), rate(spent.store), 'events/s')
}

async function timed(writers: number, work: () => Promise<void>): Promise<number> {
  const begun = performance.now()
  await Promise.all(Array.from({ length: writers }, work))
  return performance.now() - begun
}

async function throughStore(store: ChainedEventStore, appends: number): Promise<void> {
  const stream: StreamName = `ledger-${randomUUID()}`
  let revision: number | 'no-stream' = 'no-stream'
  for (let left = appends; left > 0; left--) ({ revision } = await store.append(stream, revision, [charge()]))
}

interface Recorded {
  data: Record<string, unknown>
  metadata: Record<string, unknown>
}

async function throughClient(
  { client, call }: Connection,
  appends: number,
  { data, metadata }: Recorded,
): Promise<void> {
  const stream = `bench-ledger-${randomUUID()}`
  let revision: bigint | typeof NO_STREAM = NO_STREAM
  for (let left = appends; left > 0; left--)
    ({ nextExpectedRevision: revision } = await client.appendToStream(
      stream,
      jsonEvent({ id: randomUUID(), type: 'BalanceCharged', data, metadata }),
      { ...call, expectedRevision: revision },
    ))
}

/** As long as what the adapter sends. */
async function recorded(store: ChainedEventStore): Promise<Recorded> {
  const { events } = await store.append(`ledger-${randomUUID()}`, 'no-stream', [charge()])
  const { data, ...metadata } = events[0]!
  return { data, metadata }
}

const NOTHING_TO_CLOSE: AsyncDisposable = { [Symbol.asyncDispose]: async () => undefined }

async function startDouble(): Promise<{ url: string } & AsyncDisposable> {
  const child = spawn(process.execPath, [DOUBLE], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const [url] = (await once(createInterface(child.stdout), 'line')) as [string]
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill()
      await exited
    },
  }
}
