/** Another process (or another part of this one) holds what can have one owner only. */
export class DataFolderInUse extends Error {
  readonly folder: string
  /** The owner's process id, or null where it could not be told. */
  readonly pid: number | null

  constructor(folder: string, pid: number | null) {
    const owner = pid === null ? 'another process' : `process ${pid}`
    super(`the data folder ${folder} is in use by ${owner}: stop it first, or choose another data folder`)
    this.name = 'DataFolderInUse'
    this.folder = folder
    this.pid = pid
  }
}

/** A file of the log is not what was written: nothing was changed, and nothing should be until a person has looked. */
export class LogDamaged extends Error {
  readonly path: string

  constructor(path: string, what: string, options: { cause?: unknown } = {}) {
    super(
      `the event log ${path} is damaged (${what}): keep a copy of it and restore the data folder from a backup`,
      options,
    )
    this.name = 'LogDamaged'
    this.path = path
  }
}
