import { InvalidNote } from '@medialog/contract/signed-note'
import type { Leaf } from '../ports/log-leaves.ts'
import { leafHash, type NodeHash } from './leaf.ts'

/** What a checkpoint says: the first `size` events of the log named `origin` have that root. */
export interface CheckpointText {
  origin: string
  size: number
  root: NodeHash
}

/** A log is named after its first event, so that checkpoints of two logs are never taken for one another's. */
export const originOf = (first: Leaf): string => `medialog/${leafHash(first).toString('hex').slice(0, 16)}`

/** C2SP's tlog-checkpoint: origin, size and root, a line each. */
export const checkpointText = ({ origin, size, root }: CheckpointText): string =>
  `${origin}\n${size}\n${root.toString('base64')}\n`

/** @throws InvalidNote */
export function parseCheckpoint(text: string): CheckpointText {
  const [, origin, size, root] = /^(\S+)\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\n/.exec(text) ?? []
  if (origin === undefined) throw new InvalidNote('it is no checkpoint: it lacks origin, size or root')
  return { origin, size: Number(size), root: Buffer.from(root!, 'base64') }
}
