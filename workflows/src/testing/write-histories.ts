import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { UnreadableFile } from '@medialog/application'
import { understoodOf } from '@medialog/projections/testing/history'
import { Client, Connection } from '@temporalio/client'
import { batchWorkflowId, ingestWorkflowId } from '../temporal/names.ts'
import { openTemporalOrchestrator } from '../temporal/orchestrator.ts'
import { writeHistory, type HistoryName } from './histories.ts'
import { startWork, type Understand } from './service.ts'

/**
 * `TEMPORAL_ADDRESS=… npm run histories -w workflows`: keeps how real runs of the workflows went, for replay.test.ts. Run it
 * when a release changes what workflows do; what is kept of earlier releases stays as long as their runs may.
 */
const address = process.env.TEMPORAL_ADDRESS
if (!address) throw new Error('TEMPORAL_ADDRESS names the server to run the workflows on.')

const reading = Promise.withResolvers<void>()
const understand: Understand = (text, signal) => {
  if (text === 'broken') throw new UnreadableFile('corrupted', 'It is broken.')
  if (text !== 'endless') return Promise.resolve(understoodOf(text))
  reading.resolve()
  return new Promise((_, reject) => signal!.addEventListener('abort', () => reject(signal!.reason as Error)))
}
const work = await startWork(understand)
const orchestrator = openTemporalOrchestrator(work.ports, {
  address,
  taskQueue: `histories-${randomUUID()}`,
  mostBatchJobs: 2,
  onTrouble: (what) => console.error(what),
})
await orchestrator.recover()
const client = new Client({ connection: await Connection.connect({ address }) })

const keep = async (name: HistoryName, workflowId: string): Promise<void> =>
  writeHistory(name, await client.workflow.getHandle(workflowId).fetchHistory())

const stored = work.upload('one')
await orchestrator.ingest(stored)
await keep('ingest-stored', ingestWorkflowId(stored.jobId))

const refused = work.upload('broken')
await orchestrator.ingest(refused).catch(() => undefined)
await keep('ingest-refused', ingestWorkflowId(refused.jobId))

const done = await work.createBatch(['two', 'broken', 'two', 'one'], ['one'])
orchestrator.startBatch(done.batchId)
while ((await work.stateOf(done)).status !== 'completed') await sleep(50)
await client.workflow.getHandle(batchWorkflowId(done.batchId)).result()
await keep('batch-done', batchWorkflowId(done.batchId))

const cancelled = await work.createBatch(['three', 'endless', 'four'])
orchestrator.startBatch(cancelled.batchId)
await reading.promise
await work.cancel(cancelled.batchId)
await orchestrator.stopBatch(cancelled.batchId, AbortSignal.timeout(60_000))
await keep('batch-cancelled', batchWorkflowId(cancelled.batchId))

await orchestrator.drain(AbortSignal.timeout(60_000))
await client.connection.close()
