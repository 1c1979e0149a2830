import { counted } from '@medialog/kernel'
import { bytes, localTime, seconds } from '../terminal/format.ts'
import type { Look } from '../terminal/look.ts'
import { pairs } from '../terminal/table.ts'
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
    look.good('The backup is whole.'),
    ...pairs(
      [
        ...contents(backup),
        ['artifacts', `${counted(files, 'file')}, ${bytes(size)}: ${copied} new, ${removed} gone`],
        ['checkpoint', clean(backup.checkpoint.split('\n').slice(0, 3).join(' '))],
        ['key', clean(backup.key)],
      ],
      look,
    ),
  ]
}

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
