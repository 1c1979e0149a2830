import { systemClock } from '@medialog/kernel'
import { expect, test } from 'vitest'
import type { Operation } from './application.ts'
import { createOperations, logOperations, type OperationKind } from './operations.ts'
import type { LogReport, LogVerifier } from './ports/index.ts'

/** Runs one operation of the kind to its end, with all that was told of it. */
async function ended(kinds: { [kind: string]: OperationKind }, kind: string): Promise<Operation[]> {
  const operations = createOperations(kinds, systemClock)
  const { operationId } = await operations.startOperation({ kind })
  const told: Operation[] = []
  for await (const change of operations.watchOperation(operationId, new AbortController().signal))
    told.push(change)
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
  const failing: OperationKind = { prepare: () => () => Promise.reject(thrown) }
  expect((await ended({ failing }, 'failing')).at(-1)).toMatchObject({
    status: 'failed',
    result: null,
    error,
  })
})

const found = (report: Partial<LogReport>): LogVerifier => ({
  async verify(onProgress) {
    onProgress({ position: 50, head: 200 })
    return { events: 190, erased: 10, position: 200, broken: null, seconds: 2, ...report }
  },
})

test('log-verify tells how far it is, and what it found', async () => {
  const told = await ended(logOperations(found({})), 'log-verify')
  expect(told.map(({ progress }) => progress)).toContainEqual({ ratio: 0.25, message: 'proving: 50 of 200' })
  expect(told.at(-1)).toMatchObject({
    status: 'succeeded',
    result: {
      intact: true,
      events: 190,
      erased: 10,
      proven_up_to: 200,
      broken: null,
      events_per_second: 100,
    },
  })
})

test('log-verify names the first bad event', async () => {
  const broken = {
    position: 42,
    stream: 'media-a',
    revision: 3,
    reason: 'the payload is not the one recorded',
  } as const
  const told = await ended(logOperations(found({ position: 41, broken })), 'log-verify')
  expect(told.at(-1)).toMatchObject({
    status: 'succeeded',
    result: { intact: false, proven_up_to: 41, broken },
  })
})
