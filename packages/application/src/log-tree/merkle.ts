import { hash } from 'node:crypto'
import { nodeHash, type NodeHash } from './leaf.ts'

/** RFC 9162, 2.1.1: the root of a tree without leaves. */
export const EMPTY_ROOT: NodeHash = hash('sha256', '', 'buffer')

/**
 * A Merkle tree (RFC 9162, 2.1) that grows at its right edge and keeps nothing but that edge: the roots of the largest
 * complete subtrees, from the left.
 */
export class GrowingTree {
  #size = 0
  #edge: NodeHash[] = []

  get size(): number {
    return this.#size
  }

  /** A leaf's hash, or the root of a complete subtree of 2^level leaves where the size is a multiple of that. */
  add(node: NodeHash, level = 0): void {
    let carried = node
    for (let rest = this.#size / 2 ** level; rest % 2 === 1; rest = (rest - 1) / 2)
      carried = nodeHash(this.#edge.pop()!, carried)
    this.#edge.push(carried)
    this.#size += 2 ** level
  }

  get edge(): readonly NodeHash[] {
    return this.#edge
  }

  root(): NodeHash {
    return rootOver(this.#edge)
  }
}

/** The root over complete subtrees that stand side by side, each at least as large as the next. */
export const rootOver = (edge: readonly NodeHash[]): NodeHash =>
  edge.length === 0 ? EMPTY_ROOT : edge.reduceRight((right, left) => nodeHash(left, right))

/** The root over the leaves from `from` to before `to`, as many as a subtree of the proof has. */
export type SubtreeRoot = (from: number, to: number) => Promise<NodeHash>

/** The largest power of two below `size`: where RFC 9162 splits a tree of more than one leaf. */
export function splitOf(size: number): number {
  let split = 1
  while (split * 2 < size) split *= 2
  return split
}

/** RFC 9162, 2.1.3.1: that the leaf of that index is in the tree of that size. From the leaf upwards. */
export async function inclusionProof(index: number, size: number, root: SubtreeRoot): Promise<NodeHash[]> {
  const proof: NodeHash[] = []
  for (let [from, to] = [0, size]; to - from > 1;) {
    const middle = from + splitOf(to - from)
    if (index < middle) {
      proof.push(await root(middle, to))
      to = middle
    } else {
      proof.push(await root(from, middle))
      from = middle
    }
  }
  return proof.reverse()
}

/** RFC 9162, 2.1.4.1: that the tree of size `old` is the beginning of the one of size `size`; 0 < old ≤ size. */
export async function consistencyProof(old: number, size: number, root: SubtreeRoot): Promise<NodeHash[]> {
  const proof: NodeHash[] = []
  let [from, to] = [0, size]
  // Whether the verifier knows the old tree's root: then it is left out.
  let known = true
  while (to !== old) {
    const middle = from + splitOf(to - from)
    if (old <= middle) {
      proof.push(await root(middle, to))
      to = middle
    } else {
      proof.push(await root(from, middle))
      from = middle
      known = false
    }
  }
  if (!known) proof.push(await root(from, to))
  return proof.reverse()
}
