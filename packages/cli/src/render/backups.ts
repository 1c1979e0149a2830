import { counted } from '@medialog/kernel'
import { bytes, localTime, seconds } from '../terminal/format.ts'
import type { Look } from '../terminal/look.ts'
import { pairs, table } from '../terminal/table.ts'
import { clean } from '../terminal/text.ts'

interface Contents {
  made_at: string
  /** Of the last event. */
  position: number
  events: number
  accounts: number
  items: number
  /** A decimal string: of all accounts together. */
  balance_usd: string
  /** The public key that proves the checkpoint. */
  key: string
  seconds: number
}

export interface Backup extends Contents {
  artifacts: { files: number; bytes: number; copied: number; removed: number }
  /** A signed note. */
  checkpoint: string
  encrypted: boolean
  /** How many backups the folder holds. */
  kept: number
}

export interface Verified extends Contents {
  artifacts: { files: number; bytes: number }
  /** Artifacts whose bytes were read. */
  read: number
  root: string
}

export interface ListedBackup {
  run: string
  made_at: string
  release: string
  /** Public keys; none: a passphrase; null: it is not encrypted. */
  encrypted_to: string[] | null
}

export interface BackupKey {
  file: string
  /** The public key. */
  recipient: string
}

export interface Restored extends Contents {
  /** That made the backup. */
  release: string
  /** Items that were deleted since. */
  erased: number
  /** Accounts that were closed since. */
  closed: number
  root: string
}

export interface ErasureExport {
  items: number
  /** That were closed. */
  accounts: number
  seconds: number
}

export const renderBackup = (backup: Backup, look: Look): string[] => {
  const { files, bytes: size, copied, removed } = backup.artifacts
  return [
    look.good(backup.encrypted ? 'The backup is whole, and encrypted.' : 'The backup is whole.'),
    ...pairs(
      [
        ...contents(backup),
        ['artifacts', `${counted(files, 'file')}, ${bytes(size)}: ${copied} new, ${removed} gone`],
        ['checkpoint', clean(backup.checkpoint.split('\n').slice(0, 3).join(' '))],
        ['key', clean(backup.key)],
        ...(backup.kept > 1 ? [['kept', counted(backup.kept, 'backup')] as [string, string]] : []),
      ],
      look,
    ),
  ]
}

export const renderVerified = (verified: Verified, look: Look): string[] => [
  look.good('The backup is whole: every digest, the chain and the checkpoint hold.'),
  ...pairs(
    [
      ...contents(verified),
      ['artifacts', `${counted(verified.artifacts.files, 'file')}, all there; ${verified.read} read`],
      ['root', clean(verified.root)],
      ['key', clean(verified.key)],
    ],
    look,
  ),
]

export const renderBackups = ({ backups }: { backups: ListedBackup[] }, look: Look): string[] =>
  table(
    backups,
    [
      { title: 'BACKUP', value: ({ run }) => clean(run), paint: (_, { accent }) => accent },
      { title: 'MADE AT', value: ({ made_at: madeAt }) => localTime(madeAt) },
      { title: 'RELEASE', value: ({ release }) => clean(release), drops: true },
      { title: 'ENCRYPTED TO', value: ({ encrypted_to: keys }) => clean(encryptedTo(keys)), shrinks: 'end' },
    ],
    look,
  )

const encryptedTo = (keys: readonly string[] | null): string =>
  keys === null ? '-' : keys.join(', ') || 'a passphrase'

export const renderBackupKey = ({ file, recipient }: BackupKey, look: Look): string[] => [
  look.good(
    `The secret key is in ${clean(file)}: without it no backup that is encrypted to it can be restored.`,
  ),
  ...pairs([['public key', clean(recipient)]], look),
]

export const renderRestore = (restored: Restored, look: Look): string[] => [
  look.good('The data folder is whole: every digest, the chain and the checkpoint hold.'),
  ...pairs(
    [
      ...contents(restored),
      ['erased again', `${counted(restored.erased, 'item')}, ${counted(restored.closed, 'account')}`],
      ['root', clean(restored.root)],
      ['key', clean(restored.key)],
    ],
    look,
  ),
]

export const renderExport = ({ items, accounts }: ErasureExport): string[] => [
  `${counted(items, 'item')} that ${items === 1 ? 'was' : 'were'} deleted, ${counted(accounts, 'account')} closed.`,
]

/** Items and accounts that were there again. */
export const renderApplied = ({ items, accounts }: ErasureExport): string[] => [
  `${counted(items, 'item')} deleted again, ${counted(accounts, 'account')} closed again.`,
]

const contents = ({
  made_at: madeAt,
  position,
  events,
  accounts,
  items,
  balance_usd: balance,
  seconds: took,
}: Contents): [string, string][] => [
  ['made at', localTime(madeAt)],
  ['events', `${events}, up to position ${position}`],
  ['items', `${items}`],
  ['accounts', `${accounts}, $${clean(balance)} together`],
  ['took', seconds(took * 1000)],
]
