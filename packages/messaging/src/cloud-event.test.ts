import { newId } from '@medialog/application'
import { UnreadableEvent } from '@medialog/contract'
import type { RecordedEvent } from '@medialog/kernel'
import { expect, test } from 'vitest'
import { toCloudEvent } from './cloud-event.ts'
import { newEvent, settled, upload } from './testing/log.ts'

const recorded = (changed: Partial<RecordedEvent> = {}): RecordedEvent => ({
  ...newEvent(settled('c1'), 'a1'),
  id: 'e1',
  stream: 'ledger-a1',
  revision: 4,
  position: 17,
  prev: '0',
  hash: '1',
  ...changed,
})

test('an event is a CloudEvent in binary mode: attributes in headers, its payload the value, its stream the key', () => {
  expect(toCloudEvent(recorded(), '/medialog/main')).toEqual({
    topic: 'billing',
    key: 'ledger-a1',
    headers: {
      ce_specversion: '1.0',
      ce_id: 'e1',
      ce_source: '/medialog/main',
      ce_type: 'medialog.ChargeSettled',
      ce_subject: 'ledger-a1',
      ce_time: '2026-11-20T13:00:00.000Z',
      ce_dataversion: '1',
      ce_revision: '4',
      ce_position: '17',
      ce_actor: 'k3y1d000',
      ce_accountid: 'a1',
      'content-type': 'application/json',
    },
    value: '{"chargeId":"c1","at":1}',
  })
})

test('who asked and what caused it goes along; what the caller called it does not', () => {
  const metadata = {
    timestamp: '2026-11-20T13:00:00.000Z',
    actor: 'system',
    requestId: 'r1',
    correlationId: 'holiday in Rome',
    causationId: 'e0',
    traceparent: '00-1-2-01',
  }
  const message = toCloudEvent(recorded({ metadata }), 's')!
  expect(message.headers).toMatchObject({
    ce_requestid: 'r1',
    ce_causationid: 'e0',
    ce_traceparent: '00-1-2-01',
  })
  expect(message.headers).not.toHaveProperty('ce_accountid')
  expect(JSON.stringify(message)).not.toContain('Rome')
})

test('names of attributes are as CloudEvents wants them: lower-case letters and digits, at most 20', () => {
  const [message] = Object.values(upload({ accountId: newId(), mediaId: newId(), filename: 'f' }))
    .flat()
    .flatMap((event) => toCloudEvent(recorded(event), 's') ?? [])
  for (const name of Object.keys(message!.headers))
    expect(name).toMatch(/^(?:ce_[a-z0-9]{1,20}|content-type)$/)
})

test('a payload of an older version is published as the current one', () => {
  const data = { jobId: newId(), mediaId: newId(), at: 1 }
  const message = toCloudEvent(recorded({ type: 'JobSucceeded', stream: 'batch-b', data }), 's')!
  expect(JSON.parse(message.value)).toEqual({ ...data, tookMs: null })
  expect(message.headers['ce_dataversion']).toBe('2')
})

test('what stays inside is not looked at, and other software’s streams are ignored', () => {
  expect(toCloudEvent(recorded({ type: 'ApiKeyIssued', data: { digest: 'd' } }), 's')).toBeNull()
  expect(toCloudEvent(recorded({ stream: '$ce-orders' }), 's')).toBeNull()
  expect(toCloudEvent(recorded({ stream: 'orders-1', type: 'Ordered' }), 's')).toBeNull()
})

test.each([
  [{ type: 'ChargeDoubled' }, 'unknown event type'],
  [{ version: 9 }, 'of version 9'],
  [{ data: { chargeId: 3, at: 1 } }, 'chargeId'],
])('%j is not passed over: it would be lost for good', (changed, why) => {
  const making = () => toCloudEvent(recorded(changed), 's')
  expect(making).toThrow(UnreadableEvent)
  expect(making).toThrow(why)
})
