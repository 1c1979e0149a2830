import { READ_MODELS } from '@medialog/application/ports'
import { decodeRecorded } from '@medialog/contract'
import type { DomainEvent } from '@medialog/domain'
import { usd, type Money, type RecordedEvent } from '@medialog/kernel'
import { toCloudEvent } from '@medialog/messaging/cloud-event'
import type { KafkaSettings } from '@medialog/messaging/kafka/settings'
import { readTopics, type ReadRecord } from '@medialog/messaging/testing/topics'
import { expect, vi } from 'vitest'
import type { Client } from '../harness/client.ts'
import { operated } from '../harness/operations.ts'

/** What carries on in the background after a fault, and gets as long as a slow machine takes. */
const SETTLING = { timeout: 120_000, interval: 250 }
const ITEM = usd('0.04')

/** A service whose work is to be compared with its log. */
export interface Examined {
  client: Client
  operator: Client
  /** The whole log. */
  events: () => Promise<RecordedEvent[]>
  /** Where it is published, or null. */
  kafka: KafkaSettings | null
}

/**
 * What must hold of a service that nobody uses, whatever befell it: it is well, nothing is owed, each charge came to what was
 * delivered for it, the log is proven, every read model is what the log makes anew, and everything was published once.
 */
export async function expectConsistent({ client, operator, events, kafka }: Examined): Promise<void> {
  await vi.waitFor(async () => {
    const { body } = await client.request('GET', '/v1/status')
    expect(body.data).toMatchObject({ status: 'operational' })
    expectNothingUnderWay(await events())
  }, SETTLING)
  const log = await events()
  expectMoney(log)
  expect(await operated(operator, { kind: 'log-verify' })).toMatchObject({ result: { intact: true } })
  for (const name of READ_MODELS)
    expect(await operated(operator, { kind: 'projections-verify', name }), name).toMatchObject({
      result: { identical: true },
    })
  if (kafka) await vi.waitFor(async () => expectPublished(log, await readTopics(kafka), kafka), SETTLING)
}

type Charge = Extract<DomainEvent, { type: 'BalanceCharged' }> & { net: Money; settled: boolean }

function chargesOf(log: readonly DomainEvent[]): Charge[] {
  const charges = new Map<string, Charge>()
  for (const event of log) {
    if (event.type === 'BalanceCharged') {
      expect(charges.has(event.chargeId), 'charged twice').toBe(false)
      charges.set(event.chargeId, { ...event, net: event.amount, settled: false })
    }
    if (event.type === 'BalanceRefunded') charges.get(event.chargeId)!.net -= event.amount
    if (event.type === 'ChargeSettled') charges.get(event.chargeId)!.settled = true
  }
  return [...charges.values()]
}

/** Neither a charge nor a claim is open. */
function expectNothingUnderWay(recorded: readonly RecordedEvent[]): void {
  const log = recorded.map(decodeRecorded)
  const claimed = new Set<string>()
  for (const event of log) {
    if (event.type === 'IngestClaimed') claimed.add(event.ingestId)
    if (['IngestReleased', 'MediaIngested', 'MediaOverwritten'].includes(event.type))
      claimed.delete((event as { ingestId: string }).ingestId)
  }
  expect([...claimed]).toEqual([])
  expect(chargesOf(log).filter(({ net, settled }) => !settled && net > 0n)).toEqual([])
}

/** Each upload and batch has cost what it delivered, and everything that is there was paid for, once. */
export function expectMoney(recorded: readonly RecordedEvent[]): void {
  const log = recorded.map(decodeRecorded)
  const ingested = log.flatMap((event) =>
    event.type === 'MediaIngested' || event.type === 'MediaOverwritten' ? [event.jobId] : [],
  )
  expect(new Set(ingested).size, 'recorded twice').toBe(ingested.length)
  const delivered = new Map<string, number>(ingested.map((jobId) => [jobId, 1]))
  for (const [index, event] of log.entries()) {
    if (event.type !== 'JobSucceeded') continue
    expect(delivered.delete(event.jobId), 'a job ended once, with what it stored').toBe(true)
    const batchId = recorded[index]!.stream.slice('batch-'.length)
    delivered.set(batchId, (delivered.get(batchId) ?? 0) + 1)
  }
  for (const { cause, net } of chargesOf(log)) {
    const { operation, jobId, batchId } = cause
    if (operation !== 'upload' && operation !== 'batch') continue
    const id = (batchId ?? jobId)!
    expect(net, `${operation} ${id}`).toBe(ITEM * BigInt(delivered.get(id) ?? 0))
    delivered.delete(id)
  }
  expect([...delivered], 'delivered, and not paid for').toEqual([])
}

/** What committed readers see is what the log tells: each event once, whole, in its stream's order. */
export function expectPublished(
  log: readonly RecordedEvent[],
  records: readonly ReadRecord[],
  { publisher }: Pick<KafkaSettings, 'publisher'>,
): void {
  const told = log.flatMap((event) => toCloudEvent(event, `/medialog/${publisher}`) ?? [])
  const seen = records.map(({ partition: _partition, offset: _offset, ...message }) => message)
  expect(byStream(seen)).toEqual(byStream(told))
}

function byStream<Message extends { key: string }>(messages: readonly Message[]): Map<string, Message[]> {
  return new Map(
    [...Map.groupBy(messages, ({ key }) => key)].toSorted(([one], [other]) => (one < other ? -1 : 1)),
  )
}
