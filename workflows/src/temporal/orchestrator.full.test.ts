import { randomUUID } from 'node:crypto'
import { describeWithEngine } from '@medialog/test/engines'
import { describeOrchestratorContract } from '../testing/orchestrator-contract.ts'
import { openTemporalOrchestrator } from './orchestrator.ts'

describeWithEngine('temporal', 'Temporal', (address) => {
  const queues = new WeakMap<object, string>()
  describeOrchestratorContract('Temporal', async (work, { mostBatchJobs }) => {
    // Those that work for the same service share a queue.
    const taskQueue = queues.get(work) ?? `test-${randomUUID()}`
    queues.set(work, taskQueue)
    return openTemporalOrchestrator(work.ports, { address, taskQueue, mostBatchJobs, onTrouble: () => {} })
  })
})
