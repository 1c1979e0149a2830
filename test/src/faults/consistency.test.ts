import type { RecordedEvent } from '@medialog/kernel'
import { toCloudEvent } from '@medialog/messaging/cloud-event'
import type { ReadRecord } from '@medialog/messaging/testing/topics'
import { beforeAll, expect, test } from 'vitest'
import { endedBatch } from '../harness/batches.ts'
import { eventsIn } from '../harness/log.ts'
import { useServer } from '../harness/suite.ts'
import { expectConsistent, expectMoney, expectPublished } from './consistency.ts'

const server = useServer()
const SOURCE = { publisher: 'main' }
let log: RecordedEvent[]

beforeAll(async () => {
  await server.client.upload('one.txt', 'The first of three.')
  const { body } = await server.client.batch([
    { filename: 'two.txt', bytes: 'The second of three.' },
    { filename: 'broken.pdf', bytes: '%PDF-1.7' },
  ])
  await endedBatch(server.client, body.data.batch_id)
  log = await eventsIn(server.folder)
})

const without = (...types: string[]) => log.filter(({ type }) => !types.includes(type))
const twice = (type: string) => [...log, log.find((event) => event.type === type)!]
const records = (): ReadRecord[] =>
  log.flatMap((event) => {
    const message = toCloudEvent(event, '/medialog/main')
    return message ? [{ ...message, partition: 0, offset: '0' }] : []
  })

test('a service that nothing befell is consistent', async () => {
  await expectConsistent({
    client: server.client,
    operator: server.operator,
    events: () => eventsIn(server.folder),
    kafka: null,
  })
  expectPublished(log, records(), SOURCE)
})

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
