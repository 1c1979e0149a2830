import { EngineUnavailable, type Damage } from '@medialog/application/ports'
import { existsSync, statSync, type Stats } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { isDamage, isFileDamage } from './damage.ts'
import { databaseFiles } from './database-files.ts'
import type { DatabaseSource } from './source.ts'

/** How long a replaced database stays open for readers that are in the middle of it. */
const LET_GO_AFTER_MS = 10_000
/** A swap between reading the pointer and opening the file makes that fail; it cannot go on like that. */
const TRIES = 10

export interface OpenDatabaseSource extends DatabaseSource {
  close(): void
}

/**
 * Opens the read model of that name for reading in whichever thread asks, and again after a swap. Whether there was
 * one is a look at a small file, once for all code that does not wait in between: that sees one database. Code that has
 * waited looks again, in the same turn of the event loop too: what it waited for may come from a thread that saw the swap.
 * `onDamage` receives the damage that each read finds: the same may come many times.
 */
export function openDatabaseSource(
  folder: string,
  name: string,
  onDamage: (damage: Damage) => void = () => undefined,
): OpenDatabaseSource {
  const files = databaseFiles(folder, name)
  let opened: { database: DatabaseSync; epoch: number; pointer: Stats } | null = null
  let looked = false

  const isCurrent = (pointer: Stats | undefined): boolean =>
    pointer !== undefined &&
    opened !== null &&
    opened.pointer.ino === pointer.ino &&
    opened.pointer.mtimeMs === pointer.mtimeMs

  function reopen(tries = TRIES): NonNullable<typeof opened> {
    const pointer = statSync(files.pointer, { throwIfNoEntry: false })
    const epoch = pointer ? files.current() : null
    if (!pointer || epoch === null) throw new EngineUnavailable(name, `The read model ${name} is being made.`)
    try {
      return { database: openForReading(files.path(epoch)), epoch, pointer }
    } catch (cause) {
      if (tries > 1) return reopen(tries - 1)
      if (isFileDamage(cause) || !existsSync(files.path(epoch))) throw damaged(epoch, cause)
      throw new EngineUnavailable(name, `The read model ${name} cannot be opened.`, { cause })
    }
  }

  function damaged(epoch: number, cause: unknown): EngineUnavailable {
    onDamage({ epoch, reason: (cause as Error).message })
    return new EngineUnavailable(name, `The read model ${name} is damaged and is being rebuilt.`, { cause })
  }

  return {
    failure: (epoch, error) => (isDamage(error) ? damaged(epoch, error) : error),

    current() {
      if (looked && opened) return opened
      if (!isCurrent(statSync(files.pointer, { throwIfNoEntry: false }))) {
        const old = opened
        opened = reopen()
        if (old) setTimeout(() => closeOpen(old.database), LET_GO_AFTER_MS).unref()
      }
      looked = true
      queueMicrotask(() => (looked = false))
      return opened!
    },

    close() {
      if (opened) closeOpen(opened.database)
      opened = null
    },
  }
}

function openForReading(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 1_000 })
  try {
    // Opens all its files now: they may lose their names at the next swap.
    database.prepare('SELECT position FROM checkpoint').get()
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

const closeOpen = (database: DatabaseSync): void => {
  if (database.isOpen) database.close()
}
