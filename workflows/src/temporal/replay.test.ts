import { DeterminismViolationError } from '@temporalio/workflow'
import { Worker } from '@temporalio/worker'
import { beforeAll, describe, expect, test } from 'vitest'
import { HISTORIES, readHistory, type History } from '../testing/histories.ts'
import { buildBundle, DATA_CONVERTER, type WorkflowBundle } from './bundle.ts'
import { sharedRuntime } from './runtime.ts'

/** Runs that are under way while a release changes go on under its code: it must do what they did, step by step. */
describe('runs that are kept', () => {
  let workflowBundle: WorkflowBundle
  beforeAll(async () => {
    workflowBundle = await buildBundle(sharedRuntime(() => undefined))
  })
  const replay = (history: History) =>
    Worker.runReplayHistory({ workflowBundle, dataConverter: DATA_CONVERTER }, history)

  test.each(HISTORIES)('%s is done again as it was', async (name) => {
    await expect(replay(await readHistory(name))).resolves.toBeUndefined()
  })

  test.each(HISTORIES)('%s with another step in it is not', async (name) => {
    const other = (json: string) => json.replace(/"(carry|openBatch)"/, '"another"')
    await expect(replay(await readHistory(name, other))).rejects.toBeInstanceOf(DeterminismViolationError)
  })
})
