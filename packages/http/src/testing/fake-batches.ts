import type { Application, BatchAtWork } from '@medialog/application'
import { BatchNotFound } from '@medialog/domain'
import { batchId as batchIds, usd } from '@medialog/kernel'
import type { FakeState } from './fake-state.ts'
import { batchIntent, batchJobs, NOW } from './fixtures.ts'

/** `release`: of what is staged. */
export function fakeBatches(
  { batches, creations }: Pick<FakeState, 'batches' | 'creations'>,
  release: (id: string) => Promise<void>,
): Application['batches'] {
  const known = (id: string): BatchAtWork => {
    const batch = batches.find(({ batchId }) => batchId === batchIds.parse(id))
    if (!batch) throw new BatchNotFound()
    return batch
  }

  return {
    receive: () => ({ add: async () => {}, end: () => {} }),
    async create(context, command) {
      creations.push(command)
      await Promise.all(command.files.map(({ staged }) => release(staged.id)))
      const intent = batchIntent(context.requestId, command)
      return {
        batchId: intent.batchId,
        replayed: command.idempotencyKey === 'again',
        intent,
        collection: intent.collection ?? 'default',
        charged: { total: usd('0.08'), processing: { document: usd('0.06') }, storage: usd('0.02') },
        estimatedSeconds: 4,
        position: 47,
      }
    },
    list: async (_context, { status }) => {
      const shown = batches.filter((batch) => !status || batch.status === status)
      return { batches: shown, total: shown.length }
    },
    read: async (_context, id) => known(id),
    results: async (_context, id) => ({ batch: known(id), jobs: batchJobs() }),
    async cancel(_context, id) {
      const { batchId } = known(id)
      return { batchId, previous: 'running', current: 'cancelled', at: NOW, position: 48 }
    },
  }
}
