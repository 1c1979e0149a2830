/** Another process (or another part of this one) holds what can have one owner only. */
export class DataFolderInUse extends Error {
  readonly folder: string
  /** The owner's process id, or null where it is not known. */
  readonly pid: number | null

  constructor(folder: string, pid: number | null) {
    const owner = pid === null ? 'another process' : `process ${pid}`
    super(`the data folder ${folder} is in use by ${owner}: stop it first, or choose another data folder`)
    this.name = 'DataFolderInUse'
    this.folder = folder
    this.pid = pid
  }
}

/** The log is not what was written: nothing was changed, and nothing should be until a person has looked. */
export class LogDamaged extends Error {
  /** Its file, or the address of its server. */
  readonly log: string

  constructor(log: string, what: string, options: { cause?: unknown } = {}) {
    super(
      `the event log ${log} is damaged (${what}): keep a copy of it and restore it from a backup`,
      options,
    )
    this.name = 'LogDamaged'
    this.log = log
  }
}

/** The address of a server cannot be used. The message says why, without what is secret in it. */
export class InvalidAddress extends Error {
  override name = 'InvalidAddress'
}

/** The server refuses the user that the address names. The message says what is missing, and on what. */
export class AccessRefused extends Error {
  override name = 'AccessRefused'
}
