import { BatchNotFound } from '@medialog/domain'
import type { Uuid } from '@medialog/kernel'
import type { RequestContext } from '../core/context.ts'
import { originOf } from '../core/origin.ts'
import type { Ports } from '../core/ports.ts'
import { settleReads } from '../core/read-your-writes.ts'
import type { Written } from '../core/written.ts'
import type { ShownBatchStatus } from '../ports/index.ts'
import { parseBatchId } from './read-batches.ts'
import { submittedBatch } from './submitted-batch.ts'

export type CancelPorts = Pick<
  Ports,
  'streams' | 'eventStore' | 'orchestrator' | 'settings' | 'clock' | 'projections'
>

/**
 * Cancels a batch, unless it has ended already: then nothing changes. Decided in the batch's own stream; what is under
 * way is ended before this answers, or soon after. @throws BatchNotFound
 */
export async function cancelBatch(
  ports: CancelPorts,
  context: RequestContext,
  id: string,
): Promise<Written<{ batchId: Uuid; previous: ShownBatchStatus; current: ShownBatchStatus; at: number }>> {
  const { streams, eventStore, orchestrator, settings, clock } = ports
  const { accountId } = context.principal
  const batchId = parseBatchId(id)
  const submitted = await submittedBatch(eventStore, batchId)
  if (submitted?.intent.accountId !== accountId) throw new BatchNotFound()
  const at = clock.now()
  const { events, selected } = await streams.execute(
    'batch',
    batchId,
    { type: 'CancelBatch', at },
    originOf(context),
    {
      select: ({ status, jobs }) => ({
        status,
        isUnderWay: jobs.values().some((outcome) => outcome === null),
      }),
    },
  )
  const current = selected.status as ShownBatchStatus
  const previous = (events[0]?.data.from as ShownBatchStatus | undefined) ?? current
  // Of a batch cancelled long ago nothing is under way, and the books may have forgotten its charge.
  if (current === 'cancelled' && (events.length > 0 || selected.isUnderWay))
    await orchestrator.stopBatch(batchId, AbortSignal.timeout(settings.readYourWritesMs))
  const [batch, ledger] = await Promise.all([
    streams.load('batch', batchId, () => undefined),
    streams.load('ledger', accountId, () => undefined),
  ])
  const position = Math.max(batch.position, ledger.position)
  await settleReads(ports, position)
  return { batchId, previous, current, at, position }
}
