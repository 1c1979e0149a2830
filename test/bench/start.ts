import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { encodeEvent } from '@medialog/contract'
import type { LedgerEvent } from '@medialog/domain'
import { openSqliteEventStore } from '@medialog/event-store'
import { usd, type NewEvent, type StreamName } from '@medialog/kernel'
import { newId } from '@medialog/application'
import { startServer, temporaryDataFolder } from '../src/harness/server.ts'
import { quantile, row, type BenchRow } from './row.ts'

const EVENTS = 100_000
const STARTS = 5
const APPENDED_AT_ONCE = 500

/** From starting the process until it is ready to serve: with 100 000 events in the log, against a new data folder's. */
export async function benchStart(): Promise<BenchRow[]> {
  const folder = await temporaryDataFolder()
  try {
    const empty = await readyAfter(folder.path)
    await fillLog(folder.path)
    // The first start after that makes rows of them.
    const catchingUp = await startAndStop(folder.path)
    const full = await readyAfter(folder.path)
    return [
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

/** Charges and settlements of one account, as an upload makes them. */
async function fillLog(dataFolder: string): Promise<void> {
  const [log] = readdirSync(join(dataFolder, 'log')).filter((name) => name.endsWith('.sqlite'))
  const store = await openSqliteEventStore({ path: join(dataFolder, 'log', log!) })
  const accountId = newId()
  const stream: StreamName = `ledger-${accountId}`
  const at = Date.now()
  const credit: LedgerEvent = {
    type: 'BalanceCredited',
    creditId: newId(),
    amount: usd('1000000'),
    reference: null,
    at,
  }
  let { revision } = await store.append(stream, 'no-stream', [stored(credit, accountId)])
  for (let n = 0; n < EVENTS; n += APPENDED_AT_ONCE) {
    const events = Array.from({ length: APPENDED_AT_ONCE / 2 }, () => charge(at)).flat()
    ;({ revision } = await store.append(
      stream,
      revision,
      events.map((event) => stored(event, accountId)),
    ))
  }
  await store.close()
}

function charge(at: number): LedgerEvent[] {
  const chargeId = newId()
  const cause = { operation: 'upload', requestId: chargeId, jobId: chargeId, mediaId: newId() }
  const lines = [
    { price: 'DOCUMENT_PROCESSING', amount: usd('0.03') },
    { price: 'VECTOR_PROCESSING', amount: usd('0.01') },
  ]
  return [
    { type: 'BalanceCharged', chargeId, amount: usd('0.04'), lines, cause, at },
    { type: 'ChargeSettled', chargeId, at },
  ]
}

const stored = (event: LedgerEvent, accountId: string): NewEvent => ({
  id: newId(),
  ...encodeEvent(event),
  metadata: { timestamp: new Date().toISOString(), actor: 'bench', accountId },
})

if (import.meta.main) console.table(await benchStart())
