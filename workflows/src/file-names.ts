import {
  eraseFileNames,
  jobsOfDeleted,
  type Ports,
  type Erasure,
  type LogTree,
  type Projections,
} from '@medialog/application'
import type { Uuid } from '@medialog/kernel'
import { truncate } from './truncate.ts'

export type FileNamesPorts = Pick<Ports, 'streams' | 'eventStore' | 'batches' | 'clock'> & {
  logTree: Pick<LogTree, 'holds'>
  projections: Pick<Projections, 'reached'>
}

const CATCHING_UP_MS = 30_000

/**
 * Erases the names that deleted items had in batches. Must come before the items' own events are erased, by which their
 * jobs are known. `fail` receives each item for which this failed: its events must stay until it succeeds.
 */
export async function eraseNamesOfDeleted(
  ports: FileNamesPorts,
  deleted: readonly Erasure[],
  fail: (error: unknown, erasure: Erasure) => void,
): Promise<void> {
  for (const [accountId, erasures] of Map.groupBy(deleted, (erasure) => erasure.accountId)) {
    const named = await namedBy(ports, accountId, erasures, fail)
    // Together, as an event of a batch has all the names that stay.
    for (const [batchId, some] of Map.groupBy(named, (name) => name.batchId))
      try {
        const jobIds = some.flatMap((name) => name.jobIds)
        const left = await eraseFileNames(ports, accountId, batchId, jobIds)
        if (left) await truncate(ports, 'files', batchId, left)
      } catch (error) {
        for (const { erasure } of some) fail(error, erasure)
      }
  }
}

interface Named {
  erasure: Erasure
  batchId: Uuid
  jobIds: Uuid[]
}

async function namedBy(
  { batches, eventStore, projections }: FileNamesPorts,
  accountId: Uuid,
  erasures: readonly Erasure[],
  fail: (error: unknown, erasure: Erasure) => void,
): Promise<Named[]> {
  const pairs = await known().catch((error: unknown) => {
    for (const erasure of erasures) fail(error, erasure)
    return []
  })
  const batchesOf = Map.groupBy(pairs, ({ mediaId }) => mediaId)
  const found = await Promise.all(
    erasures.map(async (erasure): Promise<Named[]> => {
      const own = batchesOf.get(erasure.mediaId)?.map(({ batchId }) => batchId)
      try {
        const jobs = own ? await jobsOfDeleted(eventStore, erasure, own) : new Map<Uuid, Uuid[]>()
        return [...jobs].map(([batchId, jobIds]) => ({ erasure, batchId, jobIds }))
      } catch (error) {
        fail(error, erasure)
        return []
      }
    }),
  )
  return found.flat()

  async function known(): ReturnType<Ports['batches']['ofItems']> {
    const head = await eventStore.head()
    // What it does not show yet would be taken for what is not there.
    if (!(await projections.reached(head, { readModels: ['batches'], timeoutMs: CATCHING_UP_MS })))
      throw new Error('the read model of batches is behind: names of deleted items wait for it')
    return batches.ofItems(
      accountId,
      erasures.map(({ mediaId }) => mediaId),
    )
  }
}
