import { hash } from 'node:crypto'
import type { Leaf } from '../ports/log-leaves.ts'

/** An inner node, or the root: SHA-256. */
export type NodeHash = Buffer

/** What is hashed of an event: canonical JSON (RFC 8785) of where it stands and of its place in its stream's chain. */
export const leafText = ({ hash, position, revision, stream }: Leaf): string =>
  `{"hash":"${hash}","position":${position},"revision":${revision},"stream":${JSON.stringify(stream)}}`

/** RFC 9162, 2.1.1: SHA-256(0x00 ‖ leaf). */
export const leafHash = (leaf: Leaf): NodeHash => hash('sha256', `\u0000${leafText(leaf)}`, 'buffer')

const pair = Buffer.alloc(65)
pair[0] = 1

/** RFC 9162, 2.1.1: SHA-256(0x01 ‖ left ‖ right). */
export function nodeHash(left: NodeHash, right: NodeHash): NodeHash {
  left.copy(pair, 1)
  right.copy(pair, 33)
  return hash('sha256', pair, 'buffer')
}
