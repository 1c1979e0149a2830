import { createStreams, StoredItems } from '@medialog/application'
import { BEGINNING, systemClock } from '@medialog/kernel'
import { pino } from 'pino'
import { openEventLog, type LogPlace } from '../embedded/event-log.ts'
import { closeAccount, deleteItem } from './delete-again.ts'
import { isErased, type ErasureList } from './erasure-list.ts'
import { MaintenanceRefused } from './errors.ts'
import { progressInParts, type OnProgress } from './progress.ts'

export interface AppliedReport {
  /** Items that were there again, and are deleted again. */
  items: number
  /** Accounts that were open again, and are closed again. */
  accounts: number
  seconds: number
}

/**
 * Deletes anew what a list of erasures names, in a log on a server that was restored from a backup of its own: by events, so
 * that it is dead for whatever follows the log; workers take its past and its artifacts away. It may be cut off anywhere
 * and done again. @throws MaintenanceRefused, EngineUnavailable, InvalidConfiguration
 */
export async function applyErasures(
  place: LogPlace,
  erasures: ErasureList,
  onProgress: OnProgress,
): Promise<AppliedReport> {
  if (place.eventStoreDb === null)
    throw new MaintenanceRefused(
      'EVENTSTOREDB_URL is not set: the log of a data folder is told by `medialog restore --erasures`.',
    )
  const started = performance.now()
  const part = progressInParts(onProgress)
  const log = await openEventLog(place, pino({ level: 'silent' }))
  try {
    const stored = new StoredItems()
    const head = await log.head()
    const reading = part(0.7)
    for await (const event of log.readAll(BEGINNING)) {
      stored.apply(event)
      reading({ ratio: event.position / head, message: `event ${event.position} of ${head}` })
    }
    const items = [...stored.items()].filter((item) => isErased(item, erasures))
    const accounts = [...stored.openAccounts.intersection(erasures.closedAccounts)]
    const streams = createStreams(log, systemClock)
    const deleting = part(0.3)
    for (const [done, item] of items.entries()) {
      deleting({ ratio: done / items.length, message: `deleting: ${done} of ${items.length}` })
      await deleteItem(streams, item)
    }
    for (const accountId of accounts) await closeAccount(streams, accountId)
    return {
      items: items.length,
      accounts: accounts.length,
      seconds: (performance.now() - started) / 1_000,
    }
  } finally {
    await log.close()
  }
}
