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
 * delivered for it, the log and its tree are proven, every read model is what the log makes anew, and everything was published once.
 */
export async function expectConsistent({ client, operator, events, kafka }: Examined): Promise<void> {
  const log = await vi.waitFor(async () => {
    const { body } = await client.request('GET', '/v1/status')
    expect(body.data).toMatchObject({ status: 'operational' })
    const recorded = await events()
    expectNothingUnderWay(recorded)
    return recorded
  }, SETTLING)
  expectMoney(log)
  for (const kind of ['log-verify', 'audit-verify'])
    expect(await operated(operator, { kind }), kind).toMatchObject({ result: { intact: true } })
  expect(await operated(operator, { kind: 'projections-verify' })).toMatchObject({
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
export function expectNothingUnderWay(recorded: readonly RecordedEvent[]): void {
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

/** Each upload and batch has cost what it delivered, and everything that is or was there was paid for, once. */
export function expectMoney(recorded: readonly RecordedEvent[]): void {
  const log = recorded.map(decodeRecorded)
  const ingested = log.flatMap((event) =>
    event.type === 'MediaIngested' || event.type === 'MediaOverwritten' ? [event.jobId] : [],
  )
  expect(new Set(ingested).size, 'recorded twice').toBe(ingested.length)
  const delivered = new Map<string, number>(ingested.map((jobId) => [jobId, 1]))
  const pasts = new ErasedPasts(recorded)
  for (const [index, event] of log.entries()) {
    if (event.type !== 'JobSucceeded') continue
    expect(
      delivered.delete(event.jobId) || pasts.pay(event.mediaId),
      'a job ended once, with what it stored',
    ).toBe(true)
    const batchId = recorded[index]!.stream.slice('batch-'.length)
    delivered.set(batchId, (delivered.get(batchId) ?? 0) + 1)
  }
  for (const { cause, net } of chargesOf(log)) {
    const { operation, jobId, batchId, mediaId } = cause
    if (operation !== 'upload' && operation !== 'batch') continue
    const id = (batchId ?? jobId)!
    if (operation === 'upload' && !delivered.has(id) && net === ITEM && pasts.pay(mediaId!)) continue
    expect(net, `${operation} ${id}`).toBe(ITEM * BigInt(delivered.get(id) ?? 0))
    delivered.delete(id)
  }
  expect([...delivered], 'delivered, and not paid for').toEqual([])
  expect(pasts.unpaid(), 'erased, and never paid for').toEqual([])
}

const MEDIA = 'media-'
/** A claim and what was recorded under it: what is delivered took so many events. */
const EVENTS_OF_A_DELIVERY = 2

/** Of each stream the first revision that is left, where that is not its first. */
function firstLeft(recorded: readonly RecordedEvent[]): Map<string, number> {
  const first = new Map<string, number>()
  for (const { stream, revision } of recorded)
    if (!first.has(stream) || revision < first.get(stream)!) first.set(stream, revision)
  return new Map([...first].filter(([, revision]) => revision > 0))
}

/**
 * What was paid for items whose past was erased after they had been deleted. How often each was delivered is not to be
 * known any more: once at least, and no more often than its past had room for.
 */
class ErasedPasts {
  readonly #payments = new Map<string, { made: number; most: number }>()

  constructor(recorded: readonly RecordedEvent[]) {
    for (const [stream, revision] of firstLeft(recorded))
      if (stream.startsWith(MEDIA))
        this.#payments.set(stream.slice(MEDIA.length), {
          made: 0,
          most: Math.floor(revision / EVENTS_OF_A_DELIVERY),
        })
  }

  /** Whether the item may have been delivered once more than was paid for by now. */
  pay(mediaId: string): boolean {
    const payments = this.#payments.get(mediaId)
    if (!payments || payments.made === payments.most) return false
    payments.made++
    return true
  }

  unpaid(): string[] {
    return [...this.#payments].flatMap(([mediaId, { made }]) => (made === 0 ? [mediaId] : []))
  }
}

/**
 * What committed readers see is what the log tells: each event once, whole, in its stream's order. What was erased from
 * the log meanwhile may have been published before, once.
 */
export function expectPublished(
  log: readonly RecordedEvent[],
  records: readonly ReadRecord[],
  { publisher }: Pick<KafkaSettings, 'publisher'>,
): void {
  const told = log.flatMap((event) => toCloudEvent(event, `/medialog/${publisher}`) ?? [])
  const seen = records.map(({ partition: _partition, offset: _offset, ...message }) => message)
  const first = firstLeft(log)
  const revisionOf = ({ headers }: (typeof seen)[number]) => Number(headers['ce_revision'])
  for (const [stream, messages] of byStream(seen)) {
    const revisions = messages.map(revisionOf)
    expect(revisions, stream).toEqual([...new Set(revisions)].sort((one, other) => one - other))
  }
  const left = seen.filter((message) => revisionOf(message) >= (first.get(message.key) ?? 0))
  expect(byStream(left)).toEqual(byStream(told))
}

function byStream<Message extends { key: string }>(messages: readonly Message[]): Map<string, Message[]> {
  return new Map(
    [...Map.groupBy(messages, ({ key }) => key)].toSorted(([one], [other]) => (one < other ? -1 : 1)),
  )
}
