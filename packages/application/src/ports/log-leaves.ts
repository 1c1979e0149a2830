import type { LogPosition, Revision, StreamName } from '@medialog/kernel'

/** An event in the log-wide tree: its position, and its hash in its stream's chain, without its content. */
export interface Leaf {
  position: LogPosition
  stream: StreamName
  revision: Revision
  /** Hex. */
  hash: string
}

/** A leaf with its place in the tree, from 0. */
export interface PlacedLeaf extends Leaf {
  index: number
}

/** Leaves under one kept root. */
export const BLOCK = 256

/**
 * The leaves of the tree over all events, in the log's order. They are kept apart from the log because they outlive what
 * is erased from it. One process writes them. Nothing in here is trusted: signed checkpoints say what it has to add up to.
 * Contract suite: `describeLogLeavesContract` in packages/event-store.
 */
export interface LogLeaves {
  /** How many there are. */
  size(): Promise<number>
  /**
   * Adds leaves behind the first `size`, and the roots of the blocks that they complete, all or nothing.
   * @throws where there are not exactly `size`
   */
  append(size: number, leaves: readonly Leaf[], blocks: readonly Uint8Array[]): Promise<void>
  /** Resolves once what was appended survives a loss of power. */
  flush(): Promise<void>
  /** In order, from an index on, at most `limit`. */
  read(from: number, limit: number): Promise<PlacedLeaf[]>
  /** Roots of the complete blocks of 256 leaves, from the left. */
  blocks(): Promise<Uint8Array[]>
  /** The leaves of a stream, in its order; those of one revision where it is named. */
  ofStream(stream: StreamName, revision?: Revision): Promise<PlacedLeaf[]>
  atPosition(position: LogPosition): Promise<PlacedLeaf | null>
  close(): Promise<void>
}
