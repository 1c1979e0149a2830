import { randomUUID } from 'node:crypto'
import { describeWithEngine } from '@medialog/test/engines'
import { understoodOf } from '@medialog/projections/testing/history'
import { Client, Connection } from '@temporalio/client'
import proto from '@temporalio/proto'
import { expect, test } from 'vitest'
import { startWork } from '../testing/service.ts'
import { batchWorkflowId, ingestWorkflowId } from './names.ts'
import { openTemporalOrchestrator } from './orchestrator.ts'

const {
  EVENT_TYPE_WORKFLOW_TASK_STARTED: WORKFLOW_TASK_STARTED,
  EVENT_TYPE_ACTIVITY_TASK_STARTED: ACTIVITY_TASK_STARTED,
} = proto.temporal.api.enums.v1.EventType

/** What work costs on Temporal: each dispatch is a round trip through its queues, each event is written and kept. */
describeWithEngine('temporal', 'what work costs on Temporal', (address) => {
  test('an upload and a file of a batch', async () => {
    const work = await startWork(async (text) => understoodOf(text))
    const taskQueue = `test-${randomUUID()}`
    const orchestrator = openTemporalOrchestrator(work.ports, { address, taskQueue, onTrouble: () => {} })
    const client = new Client({ connection: await Connection.connect({ address }) })
    const costOf = async (workflowId: string) => {
      const handle = client.workflow.getHandle(workflowId)
      await handle.result()
      const { events } = await handle.fetchHistory()
      const isDispatch = ({ eventType }: { eventType?: number | null }) =>
        eventType === WORKFLOW_TASK_STARTED || eventType === ACTIVITY_TASK_STARTED
      return { events: events!.length, dispatches: events!.filter(isDispatch).length }
    }
    await orchestrator.recover()
    const job = work.upload('one')
    await orchestrator.ingest(job)
    const upload = await costOf(ingestWorkflowId(job.jobId))
    // A worker that was held up for a second costs a dispatch more.
    expect(upload.events).toBeLessThanOrEqual(14)
    expect(upload.dispatches).toBeLessThanOrEqual(4)
    const costOfBatch = async (files: number, offset: number) => {
      const batch = await work.createBatch(Array.from({ length: files }, (_, n) => `file ${offset + n}`))
      orchestrator.startBatch(batch.batchId)
      await expect.poll(async () => (await work.stateOf(batch)).status, { timeout: 60_000 }).toBe('completed')
      return costOf(batchWorkflowId(batch.batchId))
    }
    const [few, many] = [await costOfBatch(2, 0), await costOfBatch(12, 100)]
    expect((many.events - few.events) / 10).toBeLessThanOrEqual(7)
    expect((many.dispatches - few.dispatches) / 10).toBeLessThanOrEqual(2.5)
    await orchestrator.drain(AbortSignal.timeout(10_000))
    await client.connection.close()
  }, 120_000)
})
