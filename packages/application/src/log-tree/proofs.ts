import { parseMediaId, type LogPosition, type RecordedEvent, type StreamName } from '@medialog/kernel'
import { streamName, type Origin } from '../event-sourcing/streams.ts'
import { InvalidInput } from '../errors.ts'
import type { EventStore, Leaf, LogLeaves, PlacedLeaf } from '../ports/index.ts'
import { subtreeRoots } from './growing-blocks.ts'
import type { NodeHash } from './leaf.ts'
import type { LogTree } from './log-tree.ts'
import { consistencyProof, inclusionProof } from './merkle.ts'

export interface ProofPorts {
  logTree: Pick<LogTree, 'leaves' | 'checkpoint'>
  eventStore: Pick<EventStore, 'read'>
}

/** That an event is under a checkpoint's root (RFC 9162, 2.1.3). */
export interface EventProof {
  index: number
  leaf: Leaf
  /** From the leaf upwards, base64. */
  hashes: string[]
  /** The event with its salt and digest, from which the leaf's hash can be made; null once it was erased. */
  event: RecordedEvent | null
}

export interface EventProofs {
  /** The signed note, and the public key that proves it. */
  checkpoint: string
  key: string
  proofs: EventProof[]
}

/**
 * Proves one event (`12345`, its position; `media-<uuid>@3`, a revision of a stream), or all of an item (its id in either
 * form), under a checkpoint of now. Null where no such event was recorded.
 */
export async function proveEvents(
  { logTree, eventStore }: ProofPorts,
  by: Origin,
  subject: string,
): Promise<EventProofs | null> {
  const { size, note, key } = await logTree.checkpoint(by)
  const found = (await leavesOf(logTree.leaves, subject)).filter(({ index }) => index < size)
  if (found.length === 0) return null
  const root = await subtreeRoots(logTree.leaves)
  const proofs: EventProof[] = []
  for (const { index, ...leaf } of found)
    proofs.push({
      index,
      leaf,
      hashes: (await inclusionProof(index, size, root)).map(inBase64),
      event: await eventOf(eventStore, leaf),
    })
  return { checkpoint: note, key, proofs }
}

/** That the first `from` events are the beginning of the first `to` (RFC 9162, 2.1.4): base64. @throws InvalidInput */
export async function proveConsistency(leaves: LogLeaves, from: number, to: number): Promise<string[]> {
  const size = await leaves.size()
  if (from < 1 || from > to || to > size)
    throw new InvalidInput(
      'VALIDATION_ERROR',
      `from and to must be sizes of the log: 0 < from ≤ to ≤ ${size}.`,
      {
        parameter: 'from',
        reason: `0 < from ≤ to ≤ ${size}`,
      },
    )
  return (await consistencyProof(from, to, await subtreeRoots(leaves))).map(inBase64)
}

async function leavesOf(leaves: LogLeaves, subject: string): Promise<PlacedLeaf[]> {
  if (/^\d{1,15}$/.test(subject)) {
    const position: LogPosition = Number(subject)
    const leaf = await leaves.atPosition(position)
    return leaf ? [leaf] : []
  }
  const [, stream, revision] = /^(.+-.+)@(\d{1,15})$/.exec(subject) ?? []
  if (stream !== undefined) return leaves.ofStream(stream as StreamName, Number(revision))
  const item = parseMediaId(subject)
  return item ? leaves.ofStream(streamName('media', item.id)) : []
}

/** What is left of it. */
async function eventOf(
  log: Pick<EventStore, 'read'>,
  { stream, revision }: Leaf,
): Promise<RecordedEvent | null> {
  for await (const event of log.read(stream, { from: revision, limit: 1 }))
    if (event.revision === revision) return event
  return null
}

const inBase64 = (node: NodeHash): string => node.toString('base64')
