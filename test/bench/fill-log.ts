import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { encodeEvent } from '@medialog/contract'
import type { LedgerEvent } from '@medialog/domain'
import { openSqliteEventStore } from '@medialog/event-store'
import { usd, type NewEvent, type StreamName } from '@medialog/kernel'
import { newId } from '@medialog/application'

const APPENDED_AT_ONCE = 500

/** Adds so many events to the log of a stopped server: charges and settlements of one account, as an upload makes them. */
export async function fillLog(dataFolder: string, count: number): Promise<void> {
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
  for (let n = 0; n < count; n += APPENDED_AT_ONCE) {
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
