import { understoodOf } from '@medialog/projections/testing/history'
import { ApplicationFailure, CancelledFailure } from '@temporalio/common'
import { MockActivityEnvironment } from '@temporalio/testing'
import { expect, test } from 'vitest'
import { untilStopped } from '../testing/orchestrator-contract.ts'
import { startWork } from '../testing/service.ts'
import { makeActivities } from './activities.ts'

const environment = () => new MockActivityEnvironment({ attempt: 1 })

async function activitiesOf(work: Awaited<ReturnType<typeof startWork>>) {
  const faults: unknown[] = []
  const { byName, reading } = makeActivities(work.ports, { onFault: (error) => faults.push(error) })
  return {
    run: (name: string, ...args: unknown[]) => environment().run(byName[name]!, ...args),
    faults,
    reading,
    byName,
  }
}

test('an attempt that was taken for lost is awaited: one writes artifacts at a time', async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let reads = 0
  const work = await startWork(async (text) => {
    await gates[reads++]!.promise
    return understoodOf(text)
  })
  const { run } = await activitiesOf(work)
  const job = work.upload('one')
  const first = run('ingest.understandAndStore', job)
  const second = run('ingest.understandAndStore', job)
  await expect.poll(() => reads).toBe(1)
  gates[0]!.resolve()
  expect(await second).toMatchObject({ artifacts: ((await first) as { artifacts: object }).artifacts })
  // It took what the first had stored.
  expect(reads).toBe(1)
})

test('nothing is claimed for an upload whose file is gone', async () => {
  const work = await startWork()
  const { run, faults } = await activitiesOf(work)
  const job = work.upload('one')
  work.staged.clear()
  await expect(run('ingest.claim', job)).rejects.toMatchObject({ type: 'StepFailed' })
  expect(faults).toHaveLength(1)
  expect(await work.ports.work.ingests()).toEqual([])
})

test('a step that is no longer wanted stops; one whose worker stops is for the next worker', async () => {
  const work = await startWork(untilStopped)
  const { byName, reading } = await activitiesOf(work)
  for (const [cancelRequested, expected] of [
    [true, CancelledFailure],
    [false, ApplicationFailure],
  ] as const) {
    const running = environment()
    const end = running.run(byName['ingest.understandAndStore']!, { ...work.upload('one'), batchId: 'b' })
    await expect.poll(reading).toBe(1)
    running.cancel('CANCELLED', { cancelRequested } as never)
    await expect(end).rejects.toBeInstanceOf(expected)
    await expect.poll(reading).toBe(0)
  }
})
