/** Something that the operator can mend ends a backup or a restore: one line that says what, and what to do. */
export class MaintenanceRefused extends Error {
  override name = 'MaintenanceRefused'
}

/** The folder holds no backup that can be worked with. */
export class UnusableBackup extends MaintenanceRefused {
  constructor(folder: string, why: string) {
    super(`the backup ${folder} cannot be used: ${why}.`)
  }
}

const SHOWN = 20

/** What was read is not what was written; nothing was made of it. */
export class Damaged extends MaintenanceRefused {
  /** One sentence each. */
  readonly damage: readonly string[]

  constructor(what: string, damage: readonly string[]) {
    const more = damage.length > SHOWN ? `; and ${damage.length - SHOWN} more` : ''
    super(`${what} is damaged: ${damage.slice(0, SHOWN).join('; ')}${more}.`)
    this.damage = damage
  }
}
