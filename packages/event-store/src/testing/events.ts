import { randomUUID } from 'node:crypto'
import type { JsonObject, NewEvent, StreamName } from '@medialog/kernel'

export const newStream = (): StreamName => `media-${randomUUID()}`

export const newEvent = (data: JsonObject = {}, type = 'MediaIngested'): NewEvent => ({
  id: randomUUID(),
  type,
  version: 1,
  data,
  metadata: { timestamp: '2026-11-20T13:00:00.000Z', actor: 'contract', accountId: randomUUID() },
})

export const newEvents = (count: number): NewEvent[] =>
  Array.from({ length: count }, (_, number) => newEvent({ number }))
