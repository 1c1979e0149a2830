import { systemClock } from '@medialog/kernel'
import { expect, test } from 'vitest'
import {
  READ_MODELS,
  storeOf,
  STORES,
  type LogReport,
  type LogScavenger,
  type LogVerifier,
  type Projections,
  type ReadModelName,
  type ScavengedPlace,
} from '../ports/index.ts'
import type { Operation, OperationRequest } from './operation.ts'
import {
  createOperations,
  logOperations,
  projectionOperations,
  scavengeOperations,
  type OperationKinds,
} from './operations.ts'

type LogVerify = Pick<OperationKinds, 'log-verify'>

/** Runs it to completion, with all its reports. */
async function ended(
  kinds: Partial<OperationKinds>,
  request: OperationRequest = { kind: 'log-verify' },
): Promise<Operation[]> {
  const operations = createOperations(kinds as OperationKinds, systemClock)
  const { operationId } = await operations.start(request)
  const told: Operation[] = []
  for await (const change of operations.watch(operationId, new AbortController().signal)) told.push(change)
  return told
}

/** As some validators' errors are: the message is no field of the error itself. */
class Silent extends Error {
  override get message(): string {
    return ''
  }
}

test.each([
  ['an error', new Error('event 7 cannot be read'), 'event 7 cannot be read'],
  ['one without a message', new Silent(), 'Error, without a message'],
  ['no error at all', 'refused', 'something that is no error was thrown: refused'],
])('an operation that fails with %s says why', async (_, thrown, error) => {
  const failing: LogVerify = { 'log-verify': () => Promise.reject(thrown) }
  expect((await ended(failing)).at(-1)).toMatchObject({
    status: 'failed',
    result: null,
    error,
  })
})

const found = (report: Partial<LogReport>): Pick<LogVerifier, 'verify'> => ({
  async verify(onProgress) {
    onProgress({ position: 50, head: 200 })
    return { events: 190, erased: 10, position: 200, found: 0, findings: [], seconds: 2, ...report }
  },
})

test('log-verify reports its progress and its findings', async () => {
  const told = await ended(logOperations(found({})))
  expect(told.map(({ progress }) => progress)).toContainEqual({ ratio: 0.25, message: 'proving: 50 of 200' })
  expect(told.at(-1)).toMatchObject({
    status: 'succeeded',
    result: {
      intact: true,
      events: 190,
      erased: 10,
      proven_up_to: 200,
      found: 0,
      findings: [],
      events_per_second: 100,
    },
  })
})

test('log-verify names what is bad', async () => {
  const broken = {
    position: 42,
    stream: 'media-a',
    revision: 3,
    reason: 'the payload is not the one recorded',
  } as const
  const told = await ended(logOperations(found({ position: 41, found: 1, findings: [broken] })))
  expect(told.at(-1)).toMatchObject({
    status: 'succeeded',
    result: { intact: false, proven_up_to: 41, found: 1, findings: [broken] },
  })
})

const scavenging = (...places: ScavengedPlace[]): LogScavenger => ({
  async scavenge(onProgress) {
    onProgress({ ratio: 0.5, message: 'node-1: through 1 of about 2 chunks' })
    return { places, seconds: 3 }
  },
  stopScavenge: async () => 2,
  retains: async () => false,
})

test('log-scavenge is complete where every place is done', async () => {
  const done: ScavengedPlace = { name: 'node-1', outcome: 'done', freedBytes: 7, said: 'it is out' }
  const failed: ScavengedPlace = {
    name: 'node-2',
    outcome: 'failed',
    freedBytes: 1,
    said: 'the disk is full',
  }
  const complete = await ended(scavengeOperations(scavenging(done)), { kind: 'log-scavenge' })
  expect(complete.map(({ progress }) => progress)).toContainEqual({
    ratio: 0.5,
    message: 'node-1: through 1 of about 2 chunks',
  })
  expect(complete.at(-1)).toMatchObject({ status: 'succeeded', result: { complete: true, freed_bytes: 7 } })
  const partly = await ended(scavengeOperations(scavenging(done, failed)), { kind: 'log-scavenge' })
  expect(partly.at(-1)!.result).toEqual({
    complete: false,
    freed_bytes: 8,
    places: [
      { name: 'node-1', outcome: 'done', freed_bytes: 7, said: 'it is out' },
      { name: 'node-2', outcome: 'failed', freed_bytes: 1, said: 'the disk is full' },
    ],
    seconds: 3,
  })
})

test('log-scavenge-stop says in how many places there was something to stop', async () => {
  const stopped = await ended(scavengeOperations(scavenging()), { kind: 'log-scavenge-stop' })
  expect(stopped.at(-1)).toMatchObject({ status: 'succeeded', result: { stopped: 2 } })
})

/** Compares read models: those named differ, or cannot be compared. */
const comparing = ({ different, away }: { different?: ReadModelName; away?: ReadModelName }) =>
  projectionOperations({
    async verify(name, onProgress) {
      onProgress({ phase: 'building', position: 5, head: 10 })
      if (away && storeOf(name) === storeOf(away)) throw new Error('it is away')
      return READ_MODELS.filter((one) => storeOf(one) === storeOf(name)).map((readModel) => {
        const identical = readModel !== different
        const digests = { digestInService: 'aaa', digestRebuilt: identical ? 'aaa' : 'bbb' }
        return { readModel, position: 10, events: 7, ...digests, identical, swapped: false, seconds: 1 }
      })
    },
  } as Partial<Projections> as Projections)

test('projections-verify without a name compares every read model, each with its digests', async () => {
  const told = await ended(comparing({}), { kind: 'projections-verify' })
  expect(told.map(({ progress }) => progress)).toContainEqual({
    ratio: (2 + 0.5) / STORES.length,
    message: 'usage, work, batches, history: building: 5 of 10',
  })
  const { status, result } = told.at(-1)!
  expect([status, result?.identical]).toEqual(['succeeded', true])
  expect(result?.read_models).toMatchObject(
    READ_MODELS.map((name) => ({ read_model: name, identical: true, digest_rebuilt: 'aaa' })),
  )
})

test('projections-verify goes on behind what differs and what cannot be compared', async () => {
  const kinds = comparing({ different: 'usage', away: 'accounts' })
  const { result } = (await ended(kinds, { kind: 'projections-verify' })).at(-1)!
  expect(result?.identical).toBe(false)
  const verified = result?.read_models as { read_model: string; identical: boolean; error?: string }[]
  expect(verified.map(({ read_model: name }) => name)).toEqual(READ_MODELS)
  expect(verified.filter(({ identical }) => !identical)).toMatchObject([
    { read_model: 'accounts', error: 'it is away' },
    { read_model: 'usage', digest_in_service: 'aaa', digest_rebuilt: 'bbb' },
  ])
  const { result: alone } = (await ended(kinds, { kind: 'projections-verify', name: 'usage' })).at(-1)!
  expect(alone).toMatchObject({ read_model: 'usage', identical: false })
})

test('the last verification of a kind says whether it found something', async () => {
  const intact = logOperations(found({}))
  const operations = createOperations(
    { ...comparing({ different: 'usage' }), ...intact } as OperationKinds,
    systemClock,
  )
  const all = () => Object.fromEntries(operations.verifications())
  const run = async (request: OperationRequest) => {
    const { operationId } = await operations.start(request)
    const { signal } = new AbortController()
    for await (const { status } of operations.watch(operationId, signal)) if (status !== 'running') return
  }
  const none = { 'audit-verify': false, 'log-verify': false, 'projections-verify': false }
  expect(all()).toEqual(none)
  await run({ kind: 'log-verify' })
  await run({ kind: 'projections-verify' })
  expect(all()).toEqual({ ...none, 'projections-verify': true })
  await run({ kind: 'projections-verify', name: 'catalog' })
  expect(all()).toEqual(none)
})
