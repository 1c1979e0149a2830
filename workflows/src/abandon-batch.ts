import {
  originFrom,
  OUTCOME_PATIENCE_MS,
  submittedBatch,
  SYSTEM,
  type SubmittedBatch,
} from '@medialog/application'
import { BatchNotFound, refundOfCharge } from '@medialog/domain'
import type { Uuid } from '@medialog/kernel'
import type { IngestPorts } from './ports.ts'

/** See Orchestrator.abandonBatch. `start` works a batch off that it became after all. */
export async function abandonBatch(
  ports: IngestPorts,
  batchId: Uuid,
  stagedIds: readonly Uuid[],
  start: (batchId: Uuid) => void,
): Promise<'abandoned' | 'created'> {
  let isRefused = false
  const end = await ports.background.untilDone(async () => {
    const end = await abandonIntent(ports, batchId, stagedIds, 'the batch could not be created', isRefused)
    if (end === 'created') start(batchId)
    return end
  }, OUTCOME_PATIENCE_MS)
  // What is tried again has been answered by then: an error keeps no money.
  isRefused = true
  return end ?? 'abandoned'
}

/**
 * Gives up an intent, unless it became a batch: rejected first, then what was charged is refunded and the staged
 * files go. `isRefused`: the request was refused already, and a batch that was not started is cancelled.
 */
export async function abandonIntent(
  ports: IngestPorts,
  batchId: Uuid,
  stagedIds: readonly Uuid[],
  reason: string,
  isRefused = false,
): Promise<'abandoned' | 'created'> {
  const submitted =
    (await submittedBatch(ports.eventStore, batchId)) ?? (await submittedUnheard(ports, batchId))
  if (submitted) {
    const origin = originFrom({ ...submitted.origin, ...SYSTEM })
    const { accountId } = submitted.intent
    const at = ports.clock.now()
    const reject = { type: 'RejectBatch', at } as const
    const { selected: status } = await ports.streams.execute('batch', batchId, reject, origin, {
      select: (batch) => batch.status,
    })
    if (status !== 'rejected') {
      const cancel = { type: 'CancelBatch', unlessStarted: true, at } as const
      if (isRefused) await ports.streams.execute('batch', batchId, cancel, origin)
      return 'created'
    }
    const ids = { refundId: refundOfCharge(batchId), chargeId: batchId }
    const refund = { type: 'RefundRest', ...ids, reason, at } as const
    await ports.streams.execute('ledger', accountId, refund, origin, { undoes: true })
  }
  await Promise.all(stagedIds.map((id) => ports.staging.release(id)))
  return 'abandoned'
}

/** An intent whose append was reported as failed and may have succeeded: a decision on its stream finds that out. */
async function submittedUnheard(
  { streams, eventStore, clock }: IngestPorts,
  batchId: Uuid,
): Promise<SubmittedBatch | null> {
  try {
    await streams.execute('batch', batchId, { type: 'StartBatch', at: clock.now() }, SYSTEM, { undoes: true })
  } catch (error) {
    // So is one that is an intent still.
    if (!(error instanceof BatchNotFound)) throw error
  }
  return submittedBatch(eventStore, batchId)
}
