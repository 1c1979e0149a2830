import { readFileSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { isDeletedBy, StoredItems, type DeletedItem, type StoredItem } from '@medialog/application'
import { syncFolder, writeDurably } from '@medialog/artifacts/fs/files'
import { BEGINNING, isoTime, systemClock, type Uuid } from '@medialog/kernel'
import { z } from 'zod'
import { pino } from 'pino'
import { openEventLogReader, type LogPlace } from '../embedded/event-log.ts'
import { MaintenanceRefused } from './errors.ts'
import type { OnProgress } from './progress.ts'

const uuid = z.uuid()

/** What was deleted, by ids alone: it may be kept for as long as any backup is. */
const ErasureList = z.object({
  format: z.literal(1),
  made_at: z.string(),
  deleted: z.array(
    z.object({ account_id: uuid, media_id: uuid, ingest_id: uuid, at: z.iso.datetime() }).strict(),
  ),
  closed_accounts: z.array(uuid),
})

export interface ErasureList {
  /** The last deletion of each item. */
  deleted: ReadonlyMap<Uuid, DeletedItem>
  closedAccounts: ReadonlySet<Uuid>
}

/** Whether the list names what is stored: it was deleted since, in a history that the log knows nothing of. */
export function isErased(item: StoredItem, erasures: ErasureList): boolean {
  const deleted = erasures.deleted.get(item.mediaId)
  return deleted !== undefined && isDeletedBy(item, deleted)
}

export const NOTHING_ERASED: ErasureList = { deleted: new Map(), closedAccounts: new Set() }

export interface ExportReport {
  items: number
  /** Accounts that were closed. */
  accounts: number
  seconds: number
}

/**
 * Writes everything that was deleted up to now to a file, in one step: also of a log that a service has open, or that is on
 * a server. @throws MaintenanceRefused, EngineUnavailable
 */
export async function exportErasures(
  place: LogPlace,
  file: string,
  onProgress: OnProgress,
): Promise<ExportReport> {
  const started = performance.now()
  const log = await openEventLogReader(place, pino({ level: 'silent' }))
  const items = new StoredItems()
  try {
    const head = await log.head()
    for await (const event of log.readAll(BEGINNING)) {
      items.apply(event)
      if (event.position % 1_000 === 0)
        onProgress({ ratio: event.position / head, message: `event ${event.position} of ${head}` })
    }
  } finally {
    await log.close()
  }
  const deleted = [...items.deleted()].map(({ accountId, mediaId, ingestId, at }) => ({
    account_id: accountId,
    media_id: mediaId,
    ingest_id: ingestId,
    at: isoTime(at),
  }))
  const closed = [...items.closedAccounts]
  const made_at = isoTime(systemClock.now())
  await write(file, { format: 1, made_at, deleted, closed_accounts: closed })
  return { items: deleted.length, accounts: closed.length, seconds: (performance.now() - started) / 1_000 }
}

async function write(file: string, list: z.output<typeof ErasureList>): Promise<void> {
  const path = resolve(file)
  const part = `${path}.${process.pid}.part`
  await writeDurably(part, (handle) => handle.writeFile(`${JSON.stringify(list, null, 1)}\n`))
  await rename(part, path)
  await syncFolder(dirname(path))
}

/** @throws MaintenanceRefused */
export function readErasures(file: string): ErasureList {
  let list: z.output<typeof ErasureList>
  try {
    list = ErasureList.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    const why = error instanceof z.ZodError ? 'it is no list of erasures' : (error as Error).message
    throw new MaintenanceRefused(`The erasures in ${file} cannot be read: ${why}.`)
  }
  const latest = new Map<Uuid, DeletedItem>()
  for (const { account_id: accountId, media_id: mediaId, ingest_id: ingestId, at } of list.deleted) {
    const deleted = { accountId, mediaId, ingestId, at: Date.parse(at) }
    if ((latest.get(mediaId)?.at ?? -Infinity) <= deleted.at) latest.set(mediaId, deleted)
  }
  return { deleted: latest, closedAccounts: new Set(list.closed_accounts) }
}
