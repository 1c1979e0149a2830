import { ReadModelBroken, type ReadModelBuild, type ReadModelStore } from '@medialog/application/ports'
import { databaseFiles, type DatabaseFiles } from './database-files.ts'
import { ReadModelDatabase, type ReadModelFile } from './database.ts'
import type { ReadModelDefinition } from './definition.ts'
import { createDatabase } from './open-database.ts'

interface DatabaseStoreOptions<Change> extends Pick<ReadModelFile, 'onWipeFailed'> {
  folder: string
  definition: ReadModelDefinition<Change>
}

/** A read model as SQLite files in a folder. */
export function openDatabaseStore<Change>({
  folder,
  definition,
  onWipeFailed,
}: DatabaseStoreOptions<Change>): ReadModelStore<Change> {
  const files = databaseFiles(folder, definition.name)
  const fileOf = (epoch: number): ReadModelFile => ({ path: files.path(epoch), epoch, onWipeFailed })

  function create(): number {
    const epoch = files.nextEpoch()
    createDatabase(definition, files.path(epoch))
    return epoch
  }

  function epochInService(): number {
    if (files.isRetired())
      throw new ReadModelBroken(definition.name, new Error('it was damaged before and is not rebuilt yet'))
    const current = files.current()
    if (current !== null) return current
    const epoch = create()
    files.setCurrent(epoch)
    return epoch
  }

  return {
    name: definition.name,

    async open() {
      files.sweep()
      for (const former of definition.replaces ?? []) databaseFiles(folder, former).removeAll()
      try {
        return new ReadModelDatabase(definition, fileOf(epochInService()))
      } catch (error) {
        if (error instanceof ReadModelBroken) files.retire()
        files.sweep()
        throw error
      }
    },

    async build(): Promise<ReadModelBuild<Change>> {
      return new DatabaseBuild(definition, files, fileOf(create()))
    },
  }
}

/** A file beside the one in service. */
class DatabaseBuild<Change> extends ReadModelDatabase<Change> implements ReadModelBuild<Change> {
  readonly #files: DatabaseFiles

  constructor(definition: ReadModelDefinition<Change>, files: DatabaseFiles, file: ReadModelFile) {
    super(definition, file)
    this.#files = files
  }

  copy(signal: AbortSignal): Promise<void> {
    return this.fillFrom(this.#files.path(this.#files.current()!), signal)
  }

  async promote(): Promise<void> {
    this.#files.setCurrent(this.epoch)
    // Readers that still have the old one open keep reading it; the file system frees it when the last one lets go.
    this.#files.sweep()
  }

  async discard(): Promise<void> {
    await this.close()
    this.#files.remove(this.epoch)
  }
}
