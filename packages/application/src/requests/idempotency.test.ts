import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { IdempotencyKeyReused, RequestInProgress } from '@medialog/domain'
import { openSqliteEventStore } from '@medialog/event-store'
import { systemClock } from '@medialog/kernel'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createBackground } from '../core/background.ts'
import { newId } from '../core/ids.ts'
import { SYSTEM } from '../event-sourcing/executing.ts'
import { createStreams } from '../event-sourcing/streams.ts'
import { EngineUnavailable, type EventStore } from '../ports/index.ts'
import { once, requireKey, type OnceRequest } from './idempotency.ts'
import type { Fate } from './request-key.ts'

interface Answer {
  [key: string]: string
  of: string
}

let folder: string
let store: EventStore
let ports: Parameters<typeof once>[0]
/** The fate of requests in the log, by their ids. */
const fates = new Map<string, Fate<Answer>>()
const accountId = newId()
const stream = newId()
const [first, second, third, fourth, fifth] = Array.from({ length: 5 }, newId) as [
  string,
  string,
  string,
  string,
  string,
]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'medialog-once-'))
  store = await openSqliteEventStore({ path: join(folder, 'events.sqlite') })
  fates.clear()
  ports = {
    clock: systemClock,
    streams: createStreams(store, systemClock),
    background: createBackground(() => undefined),
  }
})
afterEach(async () => {
  ports.background.stop()
  await store.close()
  await rm(folder, { recursive: true })
})

const ask = (requestId: string, changes: Partial<OnceRequest<Answer>> = {}) =>
  once<Answer>(ports, {
    accountId,
    requestId,
    origin: SYSTEM,
    stream,
    fingerprint: 'upload of a',
    work: async () => ({ of: requestId }),
    fateOf: async (earlier) => fates.get(earlier) ?? 'untold',
    ...changes,
  })
const failing = { work: () => Promise.reject(new EngineUnavailable('x', 'away')) }
/** One whose process dies at its work. */
async function dying(requestId: string): Promise<void> {
  const begun = Promise.withResolvers<void>()
  void ask(requestId, { work: () => (begun.resolve(), new Promise(() => undefined)) })
  await begun.promise
}
const types = async (): Promise<string[]> => {
  const found: string[] = []
  for await (const { type } of store.read(`request-${stream}`)) found.push(type)
  return found
}

test.each<[said: string, fate: Fate<Answer>, answer: Answer, replayed: boolean]>([
  ['what it made', { answer: { of: first } }, { of: first }, true],
  ['nothing', 'over', { of: second }, false],
])('one that never said how it ended: the log says that it came to %s', async (_, fate, answer, replayed) => {
  await dying(first)
  fates.set(first, fate)
  await expect(ask(second, { fingerprint: 'upload of b' })).rejects.toBeInstanceOf(IdempotencyKeyReused)
  expect(await ask(second)).toEqual({ answer, replayed })
  expect(await ask(third)).toEqual({ answer, replayed: true })
})

test.each<Fate<Answer>>(['open', 'untold'])(
  'one that may still be under way keeps its key: %s',
  async (fate) => {
    await dying(first)
    fates.set(first, fate)
    await expect(ask(second)).rejects.toMatchObject({ code: 'REQUEST_IN_PROGRESS', requestId: first })
    expect(await types()).toEqual(['RequestStarted'])
  },
)

test('one that lost its key: its repeat begins only once nothing more can come of it', async () => {
  await expect(ask(first, failing)).rejects.toBeInstanceOf(EngineUnavailable)
  fates.set(first, 'open')
  const before = await types()
  await expect(ask(second)).rejects.toBeInstanceOf(RequestInProgress)
  expect(await types()).toEqual(before)
  fates.set(first, 'untold')
  await expect(ask(third, failing)).rejects.toBeInstanceOf(EngineUnavailable)
  fates.set(first, { answer: { of: first } })
  expect(await ask(fourth)).toEqual({ answer: { of: first }, replayed: true })
  expect(await ask(fifth)).toEqual({ answer: { of: first }, replayed: true })
  await expect(ask(newId(), { fingerprint: 'upload of b' })).rejects.toBeInstanceOf(IdempotencyKeyReused)
})

test('a request that lost the key goes no further', async () => {
  await dying(first)
  const request = { requestStream: stream, requestId: first }
  await requireKey(ports, request)
  fates.set(first, 'over')
  await ask(second)
  await expect(requireKey(ports, request)).rejects.toBeInstanceOf(EngineUnavailable)
  await requireKey(ports, { ...request, requestStream: null })
})
