import type { IngestJob } from '@medialog/application'
import { ClaimLost, IngestInProgress, type BatchJob, type JobOutcome } from '@medialog/domain'
import { expect, test } from 'vitest'
import { runJob } from './batch-job.ts'
import type { BatchSteps, Standing } from './batch-steps.ts'
import type { BatchRef } from './refs.ts'
import type { Steps } from './steps.ts'

const job = { jobId: 'job', mediaId: 'media', filename: 'a.txt' } as unknown as BatchJob
const open: Standing = { status: 'open', ingestId: 'ingest', claims: 0, cancelled: false }

/**
 * Runs the job. `standings`: how it stands, each time that is looked at; `begin`: what its saga begins with; `end`: what its
 * item's stream says where it is given up. Answers how it ended, what was said of it, and why it was given up.
 */
async function run(
  standings: Standing[],
  {
    begin = async () => ({ startedAt: 0, newBalance: 0n }),
    end = 'released',
  }: { begin?: Steps['begin']; end?: 'recorded' | 'released' },
) {
  const said: (JobOutcome | null)[] = []
  const reasons: string[] = []
  const steps: Partial<Steps> = {
    begin,
    understand: async () => ({}) as never,
    finish: async () => ({}) as never,
    end: async (_, reason) => {
      reasons.push(reason)
      return end
    },
  }
  const batchSteps: Partial<BatchSteps> = {
    openJob: async () => standings.shift()!,
    beginJob: async () => ({}) as IngestJob,
    closeJob: async (_, __, outcome) => {
      said.push(outcome)
      return outcome!.status
    },
  }
  const status = await runJob(
    {
      steps: steps as Steps,
      batchSteps: batchSteps as BatchSteps,
      batch: { batchId: 'batch' } as unknown as BatchRef,
      signal: new AbortController().signal,
      inTurn: (work) => work(),
    },
    job,
    null,
  )
  return { status, said, reasons }
}

test('a job ends as its saga does', async () => {
  const { status, said, reasons } = await run([open], {})
  expect(status).toBe('succeeded')
  // Of this attempt, however long the process has been there.
  const tookMs = expect.toSatisfy((took: number) => took < performance.now() / 2)
  expect(said).toEqual([{ status: 'succeeded', mediaId: 'media', tookMs }])
  expect(reasons).toEqual([])
})

test('a job that waits for another upload of its content has not ended', async () => {
  const begin = () => Promise.reject(new IngestInProgress('another'))
  expect(await run([open], { begin })).toEqual({ status: 'waiting', said: [], reasons: [] })
})

test('a job of a cancelled batch is not begun', async () => {
  let isBegun = false
  const begin = async () => {
    isBegun = true
    return { startedAt: 0, newBalance: 0n }
  }
  const { status, reasons } = await run([{ ...open, cancelled: true }], { begin })
  expect([status, reasons, isBegun]).toEqual(['failed', ['cancelled'], false])
})

test('a job whose claim was lost is gone on with where it stands', async () => {
  const begin = () => Promise.reject(new ClaimLost())
  expect(await run([open, { status: 'recorded' }], { begin })).toEqual({
    status: 'succeeded',
    said: [{ status: 'succeeded', mediaId: 'media', tookMs: null }],
    reasons: [],
  })
})

test('a job that failed after its item was recorded has succeeded', async () => {
  const begin = () => Promise.reject(new Error('a bug'))
  expect(await run([open], { begin, end: 'recorded' })).toMatchObject({
    said: [{ status: 'succeeded', mediaId: 'media', tookMs: null }],
    reasons: ['processing_error'],
  })
  expect(await run([open], { begin })).toMatchObject({ status: 'failed' })
})
