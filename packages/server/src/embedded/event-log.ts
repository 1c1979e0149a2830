import {
  AccessRefused,
  InvalidAddress,
  openSqliteEventStore,
  openSqliteLogReader,
  type ChainedEventStore,
  type LogReader,
} from '@medialog/event-store'
import { tellsOfErasure } from '@medialog/application/erasure/tells-of-erasure'
import { describeDamage, type DamagedStream } from '@medialog/application/ports'
import type { Logger } from 'pino'
import { InvalidConfiguration } from '../config-values.ts'
import type { Config } from '../config.ts'
import { foldersIn } from './folders.ts'

/** What says where the log is: on a server where one is named, else in the data folder. */
export type LogPlace = Pick<Config, 'dataFolder' | 'eventStoreDb'>

/** @throws InvalidConfiguration, LogDamaged, EngineUnavailable where the server does not answer */
export async function openEventLog(
  { dataFolder, eventStoreDb }: LogPlace,
  logger: Logger,
): Promise<ChainedEventStore> {
  const onTrouble = (what: string, err: unknown) => logger.error({ err }, what)
  if (eventStoreDb === null) return openSqliteEventStore({ path: foldersIn(dataFolder).log, onTrouble })
  const { openEventStoreDb } = await loadEventStoreDb()
  try {
    return await openEventStoreDb({ ...eventStoreDb, onTrouble, ...watchedBy(logger) })
  } catch (error) {
    if (error instanceof AccessRefused)
      throw new InvalidConfiguration(`EVENTSTOREDB_URL cannot be used: ${error.message}.`)
    if (error instanceof InvalidAddress)
      throw new InvalidConfiguration(`EVENTSTOREDB_URL makes no sense: ${error.message}.`)
    throw error
  }
}

/** The log as another thread of the process reads it, once it was opened. */
export async function openEventLogReader(
  { dataFolder, eventStoreDb }: LogPlace,
  logger: Logger,
): Promise<LogReader> {
  if (eventStoreDb === null) return openSqliteLogReader({ path: foldersIn(dataFolder).log })
  const { openEventStoreDbReader } = await loadEventStoreDb()
  return openEventStoreDbReader({ ...eventStoreDb, ...watchedBy(logger) })
}

/** On a server others can write to the log's streams. */
const watchedBy = (logger: Logger) => ({
  mayBegin: tellsOfErasure,
  onDamage: (damage: DamagedStream) =>
    logger.error({ ...damage }, `the stream ${describeDamage(damage)}: it is refused, and all others go on`),
})

/** Its client takes time and memory to load: only who uses it pays for that. */
const loadEventStoreDb = () => import('@medialog/event-store/eventstoredb/store')

/** Which log is to be restored from a backup, in words. */
export const describeEventLog = ({ dataFolder, eventStoreDb }: LogPlace): string =>
  eventStoreDb ? 'the log of the EventStoreDB server' : foldersIn(dataFolder).log
