import type { EventStore, UnfinishedWork } from '@medialog/application/ports'
import type { ProjectionContext } from '@medialog/projections/projection'
import { workProjection } from '@medialog/projections/work'

/** Projecting work asks for none. */
const NO_ARTIFACTS = undefined as unknown as ProjectionContext
const ENDED = ['rejected', 'completed', 'failed', 'cancelled']

/** What the log shows as begun and not ended, asked of the log itself each time. */
export function createMemoryWork(eventStore: EventStore): UnfinishedWork {
  async function fold() {
    const ingests = new Map<string, Awaited<ReturnType<UnfinishedWork['ingests']>>[number]>()
    const charges = new Map<string, Awaited<ReturnType<UnfinishedWork['charges']>>[number]>()
    const requests = new Map<string, Awaited<ReturnType<UnfinishedWork['requests']>>[number]>()
    const erasures = new Map<string, Awaited<ReturnType<UnfinishedWork['erasures']>>[number]>()
    const batches = new Map<string, Awaited<ReturnType<UnfinishedWork['batches']>>[number]>()
    for await (const recorded of eventStore.readAll(0))
      for (const change of await workProjection.project(recorded, NO_ARTIFACTS))
        switch (change.type) {
          case 'OpenIngest':
            ingests.set(change.ingest.ingestId, change.ingest)
            break
          case 'CloseIngest':
            ingests.delete(change.ingestId)
            break
          case 'OpenCharge':
            charges.set(change.charge.chargeId, { ...change.charge })
            break
          case 'RefundCharge': {
            const charge = charges.get(change.chargeId)!
            charge.rest -= change.amount
            if (charge.rest === 0n) charges.delete(change.chargeId)
            break
          }
          case 'SettleCharge':
            charges.delete(change.chargeId)
            break
          case 'OpenRequest':
            requests.set(change.stream, change)
            break
          case 'CloseRequest':
            requests.delete(change.stream)
            break
          case 'OpenErasure':
            erasures.set(change.erasureId, change)
            break
          case 'CloseErasure':
            erasures.delete(change.erasureId)
            break
          case 'OpenBatch':
            batches.set(change.batchId, { ...change, status: 'submitted' })
            break
          case 'SetBatchStatus':
            if (ENDED.includes(change.status)) batches.delete(change.batchId)
            else batches.get(change.batchId)!.status = change.status
            break
          case 'EndJob':
            break
        }
    return { ingests, charges, requests, erasures, batches }
  }
  return {
    ingests: async () => [...(await fold()).ingests.values()],
    charges: async () => [...(await fold()).charges.values()],
    requests: async () => [...(await fold()).requests.values()],
    erasures: async () => [...(await fold()).erasures.values()],
    batches: async () => [...(await fold()).batches.values()],
    position: () => eventStore.head(),
  }
}
