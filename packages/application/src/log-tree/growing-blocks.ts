import { BLOCK, type Leaf, type LogLeaves } from '../ports/log-leaves.ts'
import { leafHash, type NodeHash } from './leaf.ts'
import { GrowingTree, rootOver, type SubtreeRoot } from './merkle.ts'

/** A complete block is a subtree of that level. */
const BLOCK_LEVEL = Math.log2(BLOCK)

/** The tree as leaves are added, with the roots of the blocks that they complete. */
export class GrowingBlocks {
  #complete = new GrowingTree()
  #last = new GrowingTree()

  get size(): number {
    return this.#complete.size + this.#last.size
  }

  /** The root of the block that the leaf completes, or null. */
  add(leaf: Leaf): NodeHash | null {
    this.#last.add(leafHash(leaf))
    if (this.#last.size < BLOCK) return null
    const root = this.#last.root()
    this.addBlock(root)
    this.#last = new GrowingTree()
    return root
  }

  addBlock(root: NodeHash): void {
    this.#complete.add(root, BLOCK_LEVEL)
  }

  root(): NodeHash {
    return rootOver([...this.#complete.edge, ...this.#last.edge])
  }
}

/** The tree as it is kept. */
export async function restoreTree(leaves: LogLeaves): Promise<GrowingBlocks> {
  const tree = new GrowingBlocks()
  for (const root of await leaves.blocks()) tree.addBlock(Buffer.from(root))
  for (const leaf of await leaves.read(tree.size, BLOCK)) tree.add(leaf)
  return tree
}

/** Roots of the subtrees that proofs are made of: their left ends lie at whole blocks, or they lie within one. */
export async function subtreeRoots(leaves: LogLeaves): Promise<SubtreeRoot> {
  const blocks = (await leaves.blocks()).map((root) => Buffer.from(root))
  return async (from, to) => {
    const tree = new GrowingTree()
    let at = from
    for (; at % BLOCK === 0 && at + BLOCK <= to; at += BLOCK) tree.add(blocks[at / BLOCK]!, BLOCK_LEVEL)
    if (at < to) for (const leaf of await leaves.read(at, to - at)) tree.add(leafHash(leaf))
    return tree.root()
  }
}
