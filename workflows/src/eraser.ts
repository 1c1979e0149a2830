import { periodically } from '@medialog/application/core/periodically'
import {
  EngineUnavailable,
  StreamDamaged,
  SYSTEM,
  hasUnsettledIngest,
  moveLateItem,
  type Ports,
  type Erasure,
  type ErasureLedger,
} from '@medialog/application'
import { REQUEST_MEMORY_MS } from '@medialog/domain'
import type { Uuid } from '@medialog/kernel'
import { deleteIngest } from './delete-ingest.ts'
import { createErasures, nameEnded, type ErasuresPorts } from './erasures.ts'
import { eraseNamesOfDeleted, type FileNamesPorts } from './file-names.ts'
import type { IngestPorts } from './ports.ts'
import { truncate } from './truncate.ts'

export type EraserPorts = Pick<IngestPorts, 'streams' | 'artifacts' | 'catalog' | 'clock'> &
  Pick<Ports, 'keptAnswers'> &
  ErasuresPorts &
  FileNamesPorts & {
    erasures: ErasureLedger
    /** Resolves once no file of the read models holds what was removed from them. */
    flushErased(): Promise<void>
  }

const AT_ONCE = 100
/** A round looks no further into the list than that for what need not wait. */
const MOST_LOOKED_AT = 6_400
/** Deleted content is in no file after about this long. */
const ROUND_MS = 1_000
const SWEEP_EVERY_MS = 600_000

/**
 * Takes away what is dead: artifacts of deleted and replaced ingests, and the past of deleted items' streams. Its list
 * is the catalog's, so a crash loses nothing; each erasure may be done again. What receipts are owed for is carried
 * through: see erasures.ts. Kept answers go when the Idempotency-Keys
 * are forgotten that they were kept for.
 */
export function startEraser(
  ports: EraserPorts,
  onError: (error: unknown) => void,
  { roundMs = ROUND_MS }: { roundMs?: number } = {},
): { close(): Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping

  let sweepAt = 0
  async function sweep(): Promise<void> {
    const now = ports.clock.now()
    if (now < sweepAt) return
    sweepAt = now + SWEEP_EVERY_MS
    await ports.keptAnswers.sweep(now - REQUEST_MEMORY_MS)
  }

  const again = (round: () => Promise<void>): Promise<void> =>
    periodically(roundMs, signal, () => round().catch(onError))
  // Apart, because the closing of one account takes its time, and what others deleted is to go at once.
  const running = Promise.all([
    again(() => eraseAll(ports, onError)),
    again(createErasures(ports, onError)),
    again(sweep),
  ])

  return {
    async close() {
      stopping.abort()
      await running
    },
  }
}

/**
 * Looks at each pending erasure once. One that has to wait, or fails, stays pending and does not hold up other items; those
 * of an account for which an engine fails wait for the next round. `onError` receives the first failure of each hundred.
 */
async function eraseAll(ports: EraserPorts, onError: (error: unknown) => void): Promise<void> {
  const looked = new Set<string>()
  const failed = new Set<Uuid>()
  const waiting = new Set<Uuid>()
  for (let limit = AT_ONCE; limit <= MOST_LOOKED_AT;) {
    const pending = await ports.catalog.pendingErasures(limit, { notOf: [...waiting] })
    const next = pending
      .filter((erasure) => !looked.has(keyOf(erasure)) && !failed.has(erasure.mediaId))
      .slice(0, AT_ONCE)
    if (next.length === 0 && pending.length < limit) return
    if (next.length === 0) limit *= 2
    for (const erasure of next) looked.add(keyOf(erasure))
    const failures: unknown[] = []
    const fail = (error: unknown, { mediaId, accountId }: Erasure) => {
      // The log of the process names a damaged stream once; its erasures stay pending until it is mended.
      if (!(error instanceof StreamDamaged)) failures.push(error)
      if (error instanceof EngineUnavailable) waiting.add(accountId)
      failed.add(mediaId)
    }
    const alive = await moveLateItems(ports, next, fail)
    const dead = next.filter((erasure) => !alive.has(erasure) && !failed.has(erasure.mediaId))
    await nameEnded(ports, dead, fail)
    const settled = await settledOf(ports, dead, fail)
    const deleted = settled.filter(({ cause }) => cause === 'deleted')
    await eraseNamesOfDeleted(ports, deleted, fail)
    const ready = settled.filter(({ mediaId }) => !failed.has(mediaId))
    const ofItems = Map.groupBy(ready, ({ mediaId }) => mediaId).values()
    const done = await Promise.all([...ofItems].map((erasures) => eraseInOrder(ports, erasures, fail)))
    if (done.includes(true)) await ports.flushErased()
    if (failures.length > 0) onError(failures[0])
  }
}

/**
 * Moves those that were recorded after their collection had ended, where their processes died before they did. Answers which are
 * alive, those included that another process moved.
 */
async function moveLateItems(
  ports: EraserPorts,
  pending: readonly Erasure[],
  fail: (error: unknown, erasure: Erasure) => void,
): Promise<ReadonlySet<Erasure>> {
  const alive = new Set<Erasure>()
  for (const erasure of pending.filter(({ late }) => late))
    try {
      const by = { ...SYSTEM, accountId: erasure.accountId }
      if (await moveLateItem(ports, erasure, by)) alive.add(erasure)
    } catch (error) {
      fail(error, erasure)
    }
  return alive
}

const keyOf = ({ cause, mediaId, ingestId, revision }: Erasure): string =>
  `${cause} ${mediaId} ${ingestId} ${revision}`

/**
 * Carries out the erasures of one item, oldest first; true if any is done. A deletion truncates the stream, and with it the
 * replacements before it. They must be erased first: a rebuilt catalog would not know of them.
 */
async function eraseInOrder(
  ports: EraserPorts,
  erasures: readonly Erasure[],
  fail: (error: unknown, erasure: Erasure) => void,
): Promise<boolean> {
  let isAnyDone = false
  try {
    for (const erasure of erasures) isAnyDone = (await erase(ports, erasure)) || isAnyDone
  } catch (error) {
    fail(error, erasures[0]!)
  }
  return isAnyDone
}

/** Without deletions of items whose earlier ingests are not over: what happens to those is decided by the past that would go. */
async function settledOf(
  ports: EraserPorts,
  erasures: readonly Erasure[],
  fail: (error: unknown, erasure: Erasure) => void,
): Promise<Erasure[]> {
  const isSettled = async (erasure: Erasure): Promise<boolean> => {
    if (erasure.cause !== 'deleted') return true
    // A claim made before the deletion is still to be recorded or released: its event must stay until then.
    const { selected: claimed } = await ports.streams.load(
      'media',
      erasure.mediaId,
      ({ claim }) => claim !== null,
    )
    return !claimed && !(await hasUnsettledIngest(ports, erasure))
  }
  const answers = await Promise.all(
    erasures.map((erasure) =>
      isSettled(erasure).catch((error: unknown) => {
        fail(error, erasure)
        return false
      }),
    ),
  )
  return erasures.filter((_, index) => answers[index])
}

/** False where there is nothing left to do. */
async function erase(ports: EraserPorts, erasure: Erasure): Promise<boolean> {
  const { accountId, mediaId, ingestId, cause, revision } = erasure
  // One that was overwritten meanwhile is not dead any more.
  if (cause === 'ended') return deleteIngest(ports, accountId, mediaId, ingestId, 'collection-deleted')
  if (cause === 'deleted') {
    const { position } = await ports.streams.load('media', mediaId, () => undefined)
    await truncate(ports, 'media', mediaId, { revision, position })
  }
  await ports.artifacts.deleteIngest({ accountId, mediaId, ingestId })
  await ports.erasures.markErased(erasure)
  return true
}
