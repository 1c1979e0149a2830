import type { EventStore, LogLeaves } from '@medialog/application'
import type { LogPosition } from '@medialog/kernel'
import { readCheckpoints, type Checkpoint } from '@medialog/read-model'
import { UnusableDataFolder } from './data-folder.ts'
import type { Config } from '../config.ts'
import { firstAccountNote } from '../first-account.ts'
import { describeEventLog, type LogPlace } from './event-log.ts'
import { foldersIn } from './folders.ts'
import type { Storage } from './storage.ts'

export type FittingLog = Pick<EventStore, 'head' | 'eventAt'>
type Stored = Pick<Storage, 'artifacts' | 'place'>

/**
 * Whether the log is the one that the rest of the data folder was made from. One that was lost, emptied or replaced by
 * an older one would be followed from where the read models stand, and they would show what no event tells of.
 * `elsewhere`: read models that are not in the folder.
 * @throws UnusableDataFolder
 */
export async function requireFittingLog(
  log: FittingLog,
  place: LogPlace,
  storage: Stored,
  elsewhere: readonly Checkpoint[] = [],
): Promise<void> {
  const { dataFolder } = place
  await requireFittingReadModels(log, place, elsewhere)
  const left = (await log.head()) === 0 ? await leftOf(dataFolder, storage) : null
  if (left)
    throw new UnusableDataFolder(
      dataFolder,
      `the event log is empty, but there is ${left} of an earlier one: ${restoreOf(place)}; or, to begin anew, name an empty folder in MEDIALOG_DATA_DIR.`,
    )
}

const restoreOf = (place: LogPlace): string => `restore ${describeEventLog(place)} from a backup`

/** The same of the read models alone. @throws UnusableDataFolder */
export async function requireFittingReadModels(
  log: Pick<EventStore, 'head' | 'eventAt'>,
  place: LogPlace,
  elsewhere: readonly Checkpoint[],
): Promise<void> {
  const { dataFolder } = place
  const folders = foldersIn(dataFolder)
  const head = await log.head()
  const checkpoints = readCheckpoints(folders.readModels)
  for (const checkpoint of [...checkpoints, ...elsewhere]) {
    const what = await contradiction(
      log,
      head,
      `the read model store ${checkpoint.name} was made from`,
      checkpoint,
    )
    if (what === null) continue
    const made = elsewhere.includes(checkpoint)
      ? `the indices of the read models in Elasticsearch, or give this log a prefix of its own (ELASTICSEARCH_PREFIX)`
      : `the folder ${folders.readModels}`
    const again = `if this log is the right one, delete ${made}: it is made again from it.`
    throw new UnusableDataFolder(dataFolder, `the event log ${what}: ${restoreOf(place)}; or, ${again}`)
  }
}

/**
 * Whether the log is the one that its leaves are of: they would go on behind the end of an older one, and prove nothing.
 * @throws UnusableDataFolder
 */
export async function requireFittingLeaves(
  log: FittingLog,
  place: LogPlace & Pick<Config, 'roles' | 'elasticsearch'>,
  leaves: LogLeaves,
): Promise<void> {
  const size = await leaves.size()
  const [last] = size > 0 ? await leaves.read(size - 1, 1) : []
  if (!last) return
  const what = await contradiction(log, await log.head(), 'its leaves were made from', last)
  if (what === null) return
  const { dataFolder, roles, elasticsearch } = place
  const file = foldersIn(dataFolder).leaves
  const again = 'it is made again from what the log still holds.'
  const mend =
    roles === null
      ? `${describeEventLog(place)} and ${file} from the same backup; or, if this log is the right one, move that file away: ${again}`
      : `${describeEventLog(place)} from a backup; or, if this log is the right one, delete the index ${elasticsearch!.prefix}leaves: ${again}`
  throw new UnusableDataFolder(dataFolder, `the event log ${what}: restore ${mend}`)
}

/** `said`: what follows the log, and how; `position` and `hash`: the last event of it. */
async function contradiction(
  log: FittingLog,
  head: LogPosition,
  said: string,
  { position, hash }: Pick<Checkpoint, 'position' | 'hash'>,
): Promise<string | null> {
  if (position === 0) return null
  if (head === 0) return `is empty, but ${said} one that goes up to ${position}`
  if (position > head) return `ends at position ${head}, but ${said} one that goes up to ${position}`
  if (hash === null) return null
  const event = await log.eventAt(position)
  // One that was erased since has no hash left to compare.
  if (event === null || event.hash === hash) return null
  return `holds another event at position ${position} than the one that ${said}`
}

/** What only events can have led to. */
async function leftOf(dataFolder: string, { artifacts, place }: Stored): Promise<string | null> {
  const note = firstAccountNote(dataFolder)
  if (note !== null) return `the note of an account (${note})`
  for await (const _ of artifacts.list()) return `what was stored (${place})`
  return null
}
