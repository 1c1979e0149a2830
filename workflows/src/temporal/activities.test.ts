import { UnreadableFile, type SubmittedBatch } from '@medialog/application'
import { understoodOf } from '@medialog/projections/testing/history'
import { ApplicationFailure, CancelledFailure } from '@temporalio/common'
import { MockActivityEnvironment } from '@temporalio/testing'
import { expect, test } from 'vitest'
import { untilStopped } from '../testing/orchestrator-contract.ts'
import { PRICE, startWork, type Work } from '../testing/service.ts'
import { batchRef } from '../refs.ts'
import type { Finished } from '../steps.ts'
import { makeActivities } from './activities.ts'

const environment = () => new MockActivityEnvironment({ attempt: 1 })

function activitiesOf({ ports }: Work) {
  const faults: unknown[] = []
  return { ...makeActivities(ports, { onFault: (error) => faults.push(error) }), faults }
}

test('an attempt that was taken for lost is awaited: one writes artifacts at a time', async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let reads = 0
  const work = await startWork(async (text) => {
    await gates[reads++]!.promise
    return understoodOf(text)
  })
  const { carry } = activitiesOf(work).byName
  const job = work.upload('one')
  const attempts = [environment().run(carry, job), environment().run(carry, job)]
  await expect.poll(() => reads).toBe(1)
  gates[0]!.resolve()
  const [first, second] = (await Promise.all(attempts)) as Finished[]
  expect(second!.outcome.ingestId).toBe(first!.outcome.ingestId)
  expect(await work.books()).toEqual({ net: PRICE, open: 0 })
  // It took what the first had stored.
  expect(reads).toBe(1)
})

test('nothing is claimed for an upload whose file is gone', async () => {
  const work = await startWork()
  const { byName, faults } = activitiesOf(work)
  const job = work.upload('one')
  work.staged.clear()
  await expect(environment().run(byName.carry, job)).rejects.toMatchObject({ type: 'StepFailed' })
  expect(faults).toHaveLength(1)
  expect(await work.ports.work.ingests()).toEqual([])
})

test('an upload that is no longer wanted stops; one whose worker stops is for the next worker', async () => {
  let reads = 0
  const work = await startWork((text, signal) => {
    reads++
    return untilStopped(text, signal)
  })
  const { byName } = activitiesOf(work)
  for (const [place, cancelRequested, expected] of [
    [1, true, CancelledFailure],
    [2, false, ApplicationFailure],
  ] as const) {
    const running = environment()
    const end = running.run(byName.carry, work.upload(`${place}`))
    await expect.poll(() => reads).toBe(place)
    running.cancel('CANCELLED', { cancelRequested } as never)
    await expect(end).rejects.toBeInstanceOf(expected)
  }
})

test('a job that is no longer wanted is ended; one whose worker stops is not, and its claim is released', async () => {
  for (const cancelRequested of [true, false]) {
    const work = await startWork(untilStopped)
    const { byName, running } = activitiesOf(work)
    const intent = await work.createBatch(['one'])
    const submitted = (await environment().run(byName.openBatch, intent.batchId)) as SubmittedBatch
    const [batch, job] = [batchRef(submitted), submitted.intent.jobs[0]!]
    const activity = environment()
    const end = activity.run(byName.runJob, batch, job, null, false)
    await expect.poll(async () => (await work.ports.work.ingests()).length).toBe(1)
    expect(running()).toBe(1)
    activity.cancel('CANCELLED', { cancelRequested } as never)
    if (cancelRequested) expect(await end).toBe('failed')
    else await expect(end).rejects.toMatchObject({ type: 'WorkerStopped' })
    expect([await work.ports.work.ingests(), running()]).toEqual([[], 0])
    expect((await work.stateOf(intent)).jobs).toEqual([cancelRequested ? 'failed' : null])
    const left = await environment().run(byName.runJob, batch, job, null, true)
    expect([left, await work.codesOf(intent)]).toEqual(['failed', ['cancelled']])
  }
})

test('logs the error of a job that the saga does not know', async () => {
  const work = await startWork(async (text) => {
    throw text === 'broken' ? new UnreadableFile('corrupted', 'It is broken.') : new Error('a bug')
  })
  const { byName, faults } = activitiesOf(work)
  const intent = await work.createBatch(['broken', 'a bug'])
  const submitted = (await environment().run(byName.openBatch, intent.batchId)) as SubmittedBatch
  for (const job of submitted.intent.jobs)
    expect(await environment().run(byName.runJob, batchRef(submitted), job, null, false)).toBe('failed')
  expect(faults).toEqual([new Error('a bug')])
})
