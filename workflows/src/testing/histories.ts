import { readFile, writeFile } from 'node:fs/promises'
import proto, { type temporal } from '@temporalio/proto'

/** Runs that are kept, one file each. */
export const HISTORIES = ['ingest-stored', 'ingest-refused', 'batch-done', 'batch-cancelled'] as const
export type HistoryName = (typeof HISTORIES)[number]

const { History } = proto.temporal.api.history.v1
export type History = temporal.api.history.v1.IHistory

/** What depends on the machine of a run. */
const OF_THE_MACHINE = new Set(['identity', 'stackTrace', 'workerVersion'])
/** A worker's name, and that of its own queue: process and host. */
const WORKER_NAME = /^\d+@.*$/

const pathOf = (name: HistoryName): URL => new URL(`./histories/${name}.json`, import.meta.url)

export async function writeHistory(name: HistoryName, history: History): Promise<void> {
  const plain = History.toObject(History.fromObject(history), { longs: String, enums: String, bytes: String })
  const kept = JSON.stringify(
    plain,
    (key, value: unknown) =>
      OF_THE_MACHINE.has(key)
        ? undefined
        : typeof value === 'string'
          ? value.replace(WORKER_NAME, 'a worker')
          : value,
    2,
  )
  await writeFile(pathOf(name), `${kept}\n`)
}

/** `edit` may change the text of it. */
export async function readHistory(name: HistoryName, edit = (json: string) => json): Promise<History> {
  return History.fromObject(
    JSON.parse(edit(await readFile(pathOf(name), 'utf8'))) as { [key: string]: unknown },
  )
}
