import { createMemoryCoordination } from '@medialog/projections/testing/memory-coordination'
import { describe, expect, test } from 'vitest'
import type { Operation } from './operation.ts'
import { createOperations, type OperationKinds } from './operations.ts'
import { shareOperations } from './shared-operations.ts'

/** Two processes that share read models; the first runs a verification of the log until the test ends it. */
function twoProcesses() {
  let now = 1_800_000_000_000
  const clock = { now: () => now }
  const memory = createMemoryCoordination()
  const work = Promise.withResolvers<{ intact: boolean }>()
  let report: (ratio: number, message: string) => void = () => undefined
  const kinds = {
    'log-verify': (_request, said) => {
      report = said
      return work.promise
    },
  } satisfies Partial<OperationKinds>
  const processOf = () => {
    const line = memory.connect()
    const shared = shareOperations(line.coordination, { clock, leastMs: 5, beatMs: 20 })
    return { ...line, operations: createOperations(kinds as unknown as OperationKinds, clock, shared) }
  }
  return {
    memory,
    work,
    report: (ratio: number, message: string) => report(ratio, message),
    pass: (milliseconds: number) => void (now += milliseconds),
    first: processOf(),
    second: processOf(),
  }
}

type Process = ReturnType<typeof twoProcesses>['first']

const verify = { kind: 'log-verify' } as const

describe('an operation of another process', () => {
  test('is shown with its progress, and watched to completion', async () => {
    const { first, second, work, report } = twoProcesses()
    const { operationId } = await first.operations.start(verify)
    await expect.poll(() => second.operations.find(operationId)).toMatchObject({ status: 'running' })
    report(0.5, 'half of it')
    const progress = { ratio: 0.5, message: 'half of it' }
    await expect.poll(() => second.operations.find(operationId)).toMatchObject({ progress })

    const seen: Operation[] = []
    const watching = (async () => {
      const { signal } = new AbortController()
      for await (const change of second.operations.watch(operationId, signal)) seen.push(change)
    })()
    await expect.poll(() => seen.length).toBe(1)
    work.resolve({ intact: true })
    await watching
    expect(seen.map(({ status }) => status)).toEqual(['running', 'succeeded'])
    expect(seen.at(-1)!.result).toEqual({ intact: true })
    const ids = async (of: typeof first) => (await of.operations.list()).map(({ operationId: id }) => id)
    expect([await ids(first), await ids(second)]).toEqual([[operationId], [operationId]])
  })

  test('is not started a second time while it runs', async () => {
    const { first, second, work } = twoProcesses()
    const { operationId } = await first.operations.start(verify)
    await expect.poll(() => second.operations.find(operationId)).not.toBeNull()
    await expect(second.operations.start(verify)).rejects.toMatchObject({
      code: 'OPERATION_RUNNING',
      details: { operation_id: operationId },
    })
    work.resolve({ intact: true })
    await expect.poll(() => second.operations.find(operationId)).toMatchObject({ status: 'succeeded' })
    expect((await second.operations.start(verify)).operationId).not.toBe(operationId)
  })

  test.each([
    ['of one process', (first: Process) => [first, first]],
    ['of two processes', (first: Process, second: Process) => [first, second]],
  ] as const)('starts once where two start it at the same moment, %s', async (_, chosen) => {
    const { first, second, memory, work } = twoProcesses()
    const started = await Promise.allSettled(
      chosen(first, second).map(({ operations }) => operations.start(verify)),
    )
    const won = started.find((one) => one.status === 'fulfilled')!.value
    expect(started.filter(({ status }) => status === 'rejected')).toMatchObject([
      { reason: { code: 'OPERATION_RUNNING', details: { operation_id: won.operationId } } },
    ])
    expect((await first.operations.list()).length).toBeLessThan(2)
    const turns = () => [...memory.notes.keys()].filter((id) => id.startsWith('operation-turn/')).length
    expect(turns()).toBe(1)
    work.resolve({ intact: true })
    await expect.poll(turns).toBe(0)
  })

  test('whose process died is said to have failed, and may be started again', async () => {
    const { first, second, pass } = twoProcesses()
    const { operationId } = await first.operations.start(verify)
    await expect.poll(() => second.operations.find(operationId)).not.toBeNull()
    first.cut()
    pass(61_000)
    await expect
      .poll(() => second.operations.find(operationId))
      .toMatchObject({ status: 'failed', error: expect.stringContaining('Start it again') })
    expect((await second.operations.start(verify)).status).toBe('running')
  })

  test('that cannot be reached keeps no process from working', async () => {
    const { first, work } = twoProcesses()
    first.cut()
    const { operationId } = await first.operations.start(verify)
    expect((await first.operations.list()).map(({ status }) => status)).toEqual(['running'])
    work.resolve({ intact: true })
    await expect.poll(() => first.operations.find(operationId)).toMatchObject({ status: 'succeeded' })
  })

  test('is forgotten when a hundred others ended after it', async () => {
    const { first, memory, work, pass } = twoProcesses()
    work.resolve({ intact: true })
    const { operationId: oldest } = await first.operations.start(verify)
    await expect.poll(() => memory.notes.has(`operation/${oldest}`)).toBe(true)
    for (let count = 0; count < 101; count++) {
      pass(1)
      const { operationId } = await first.operations.start(verify)
      await expect
        .poll(() => memory.notes.get(`operation/${operationId}`)?.value, { interval: 1 })
        .toMatchObject({ operation: { status: 'succeeded' } })
    }
    await expect.poll(() => memory.notes.has(`operation/${oldest}`)).toBe(false)
  })
})
