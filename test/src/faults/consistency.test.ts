import type { RecordedEvent } from '@medialog/kernel'
import { toCloudEvent } from '@medialog/messaging/cloud-event'
import type { ReadRecord } from '@medialog/messaging/testing/topics'
import { beforeAll, expect, test, vi } from 'vitest'
import { endedBatch } from '../harness/batches.ts'
import { eventsIn } from '../harness/log.ts'
import { useServer } from '../harness/suite.ts'
import { expectConsistent, expectMoney, expectPublished } from './consistency.ts'

const server = useServer()
const LONG = { timeout: 60_000, interval: 100 }
const SOURCE = { publisher: 'main' }
let log: RecordedEvent[]
/** As it was before items were deleted. */
let earlier: RecordedEvent[]

beforeAll(async () => {
  await server.client.upload('one.txt', 'The first of three.')
  const { body: deleted } = await server.client.upload('gone.txt', 'Uploaded, and deleted.')
  const { body } = await server.client.batch([
    { filename: 'two.txt', bytes: 'The second of three.' },
    { filename: 'broken.pdf', bytes: '%PDF-1.7' },
    { filename: 'gone-too.txt', bytes: 'Of a batch, and deleted.' },
  ])
  const { results } = await endedBatch(server.client, body.data.batch_id)
  earlier = await eventsIn(server.folder)
  for (const id of [deleted.data.media_id, results.job_results[2].media_id])
    await server.client.request('DELETE', `/v1/media/${id}`)
  await vi.waitUntil(async () => {
    log = await eventsIn(server.folder)
    return leftOfErased().length === 2
  }, LONG)
})

/** What is left of items that were deleted, once their past is erased. */
const leftOfErased = () =>
  log.filter(
    ({ stream, type }) =>
      type === 'MediaDeleted' && !log.some((other) => other.stream === stream && other.revision === 0),
  )

const without = (...types: string[]) => log.filter(({ type }) => !types.includes(type))
const twice = (type: string) => [...log, log.find((event) => event.type === type)!]
const records = (of = log): ReadRecord[] =>
  of.flatMap((event) => {
    const message = toCloudEvent(event, '/medialog/main')
    return message ? [{ ...message, partition: 0, offset: '0' }] : []
  })

/** With what was erased later. */
const everPublished = (): ReadRecord[] =>
  records([...earlier, ...log.filter(({ id }) => !earlier.some((event) => event.id === id))])

test('a service that nothing befell is consistent', async () => {
  await expectConsistent({
    client: server.client,
    operator: server.operator,
    events: () => eventsIn(server.folder),
    kafka: null,
  })
  expectPublished(log, records(), SOURCE)
  expectPublished(log, everPublished(), SOURCE)
})

/** The charge of the upload that was erased. */
function chargeOfErased(): RecordedEvent {
  const streams = leftOfErased().map(({ stream }) => stream)
  return log.find(
    ({ type, data }) =>
      type === 'BalanceCharged' &&
      streams.includes(`media-${(data['cause'] as { mediaId?: string }).mediaId}`),
  )!
}
const withoutPaying = () => {
  const { chargeId } = chargeOfErased().data
  return log.filter(({ data }) => data['chargeId'] !== chargeId)
}
const payingAgain = () => {
  const charged = chargeOfErased()
  return [...log, { ...charged, data: { ...charged.data, chargeId: 'another' } }]
}

test.each([
  ['without what was paid for', 'upload', () => without('MediaIngested', 'JobSucceeded')],
  [
    'without what was paid',
    'not paid for',
    () => without('BalanceCharged', 'BalanceRefunded', 'ChargeSettled'),
  ],
  ['without a refund', 'batch', () => without('BalanceRefunded')],
  ['without the end of a job', 'batch', () => without('JobSucceeded')],
  ['with a job that ended twice', 'ended once', () => twice('JobSucceeded')],
  ['without the payment of what was erased', 'never paid for', () => withoutPaying()],
  ['with a second payment of what was erased', 'upload', () => payingAgain()],
  ['with an item twice', 'recorded twice', () => twice('MediaIngested')],
  ['with a charge twice', 'charged twice', () => twice('BalanceCharged')],
])('a log %s is not', (_, why, changed) => {
  expect(() => expectMoney(changed())).toThrow(why)
})

test.each<[string, (seen: ReadRecord[]) => ReadRecord[]]>([
  ['lost', (seen) => seen.slice(1)],
  ['doubled', (seen) => [...seen, seen[0]!]],
  ['turned round', (seen) => seen.toReversed()],
  ['changed', ([first, ...rest]) => [{ ...first!, value: '{}' }, ...rest]],
])('a record that is %s is noticed', (_, changed) => {
  expect(() => expectPublished(log, changed(records()), SOURCE)).toThrow('to deeply equal')
})

test('so is a record that is doubled of what was erased later', () => {
  const seen = everPublished()
  const [left] = leftOfErased()
  const again = seen.find(
    ({ key, headers }) => key === left!.stream && headers['ce_revision'] !== String(left!.revision),
  )
  expect(() => expectPublished(log, [...seen, again!], SOURCE)).toThrow('to deeply equal')
})
