import type { ReadModelBuild, ReadModelStore, ReadModelWriter } from '@medialog/application/ports'
import { existsSync } from 'node:fs'
import { databaseFiles, type DatabaseFiles } from './database-files.ts'
import { createDatabase, ReadModelDatabase } from './database.ts'
import type { ReadModelDefinition } from './definition.ts'

export interface DatabaseStoreOptions<Change> {
  folder: string
  definition: ReadModelDefinition<Change>
  /** Told why a file was given up: it is made anew from the log. */
  onRenewed?: (reason: string) => void
}

/** A read model as SQLite files in a folder. */
export function openDatabaseStore<Change>(options: DatabaseStoreOptions<Change>): ReadModelStore<Change> {
  const { folder, definition, onRenewed } = options
  const files = databaseFiles(folder, definition.name)

  function create(): number {
    const epoch = files.nextEpoch()
    createDatabase(definition, files.path(epoch))
    return epoch
  }

  /** Null where there is nothing to open, or what there is cannot be used. */
  function openCurrent(): ReadModelDatabase<Change> | null {
    const epoch = files.current()
    if (epoch === null) return null
    try {
      if (!existsSync(files.path(epoch)))
        throw new Error(`the read model ${definition.name} has lost its file`)
      return new ReadModelDatabase(definition, files.path(epoch))
    } catch (error) {
      onRenewed?.((error as Error).message)
      return null
    }
  }

  return {
    name: definition.name,

    async open(): Promise<ReadModelWriter<Change>> {
      files.sweep()
      const opened = openCurrent()
      if (opened) return opened
      const epoch = create()
      files.setCurrent(epoch)
      files.sweep()
      return new ReadModelDatabase(definition, files.path(epoch))
    },

    async build(): Promise<ReadModelBuild<Change>> {
      const epoch = create()
      return new DatabaseBuild(definition, files, epoch)
    },
  }
}

/** A file beside the one in service. */
class DatabaseBuild<Change> extends ReadModelDatabase<Change> implements ReadModelBuild<Change> {
  readonly #files: DatabaseFiles
  readonly #epoch: number

  constructor(definition: ReadModelDefinition<Change>, files: DatabaseFiles, epoch: number) {
    super(definition, files.path(epoch))
    this.#files = files
    this.#epoch = epoch
  }

  async promote(): Promise<void> {
    const old = this.#files.current()
    this.#files.setCurrent(this.#epoch)
    // Readers that still have it open keep reading it; the file system frees it when the last one lets go.
    if (old !== null && old !== this.#epoch) this.#files.remove(old)
  }

  async discard(): Promise<void> {
    await this.close()
    this.#files.remove(this.#epoch)
  }
}
