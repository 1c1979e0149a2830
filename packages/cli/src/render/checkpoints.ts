import { counted } from '@medialog/kernel'
import type { Checkpoint, CheckpointKey, ConsistencyProof, EventProofs } from '../client/answers.ts'
import type { Look } from '../terminal/look.ts'
import { pairs, table } from '../terminal/table.ts'
import { clean } from '../terminal/text.ts'

/** The note as it is, so that a pipe gets what a verifier takes. */
export const renderCheckpoint = ({ note }: Checkpoint): string[] => note.trimEnd().split('\n').map(clean)

export function renderEventProofs({ checkpoint, proofs }: EventProofs, look: Look): string[] {
  return [
    `${counted(proofs.length, 'event')} among the first ${clean(checkpoint.split('\n')[1])} of the log`,
    '',
    ...table(
      proofs,
      [
        { title: 'POSITION', value: ({ leaf }) => `${leaf.position}`, align: 'right' },
        { title: 'STREAM', value: ({ leaf }) => clean(leaf.stream), shrinks: 'middle' },
        { title: 'REVISION', value: ({ leaf }) => `${leaf.revision}`, align: 'right' },
        { title: 'EVENT', value: ({ event }) => (event ? clean(event.type) : 'erased') },
        { title: 'HASH', value: ({ leaf }) => clean(leaf.hash), shrinks: 'end', drops: true },
      ],
      look,
    ),
  ]
}

export interface WrittenLedgerProof {
  account_id: string
  events: number
  /** Of the checkpoint: how many events of the log it covers. */
  size: number
  key: string
  file: string
}

export const renderLedgerProof = ({ events, size, file, key }: WrittenLedgerProof, look: Look): string[] => [
  `${counted(events, 'event')} of the ledger, under a checkpoint of ${size}, written to ${clean(file)}.`,
  `Check it: ${look.accent(`node verify-checkpoint.mjs ${clean(key)} ledger ${clean(file)}`)}`,
]

export const renderConsistency = ({ from, to }: ConsistencyProof, look: Look): string[] => [
  `The first ${from} of ${counted(to, 'event')} are ${look.good('the same in both')}.`,
]

export const renderCheckpointKey = ({ key, former_keys: former }: CheckpointKey, look: Look): string[] =>
  pairs(
    [['key', look.accent(clean(key))], ...former.map((old): [string, string] => ['before', clean(old)])],
    look,
  )
