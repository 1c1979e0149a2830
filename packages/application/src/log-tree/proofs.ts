import type { Category } from '@medialog/domain'
import {
  parseMediaId,
  type LogPosition,
  type RecordedEvent,
  type Revision,
  type StreamName,
  type Uuid,
} from '@medialog/kernel'
import { InvalidInput } from '../core/errors.ts'
import { SYSTEM, type Origin } from '../event-sourcing/executing.ts'
import { categoryIn, idIn, lastEvent, streamName } from '../event-sourcing/streams.ts'
import {
  EngineUnavailable,
  type EventStore,
  type Leaf,
  type LogLeaves,
  type PlacedLeaf,
} from '../ports/index.ts'
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
 * form), under the last checkpoint that covers them, or one of now. Null where no such event was recorded; to an account, where it is not its own either.
 */
export async function proveEvents(
  { logTree, eventStore }: ProofPorts,
  by: Origin,
  subject: string,
  accountId: Uuid | null = null,
): Promise<EventProofs | null> {
  const known = await leavesOf(logTree.leaves, subject)
  if (accountId !== null && !(await isOwn(eventStore, known, accountId))) return null
  const asked = await askedFor(eventStore, subject, known)
  const { size, note, key } = await logTree.checkpoint(by, asked)
  const now = asked === undefined ? await leavesOf(logTree.leaves, subject) : known
  const found = now.filter(({ index }) => index < size)
  if (found.length === 0) return null
  const root = await subtreeRoots(logTree.leaves)
  const proofs: EventProof[] = []
  for (const leaf of found)
    proofs.push({ ...(await placeOf(leaf, size, root)), event: await eventOf(eventStore, leaf) })
  return { checkpoint: note, key, proofs }
}

/** What proves a whole ledger: its last event has a place under the checkpoint, and the chain of hashes all before it. */
export interface LedgerProof {
  accountId: Uuid
  stream: StreamName
  checkpoint: string
  key: string
  /** How many events the checkpoint covers. */
  size: number
  /** Of the last event. */
  head: Omit<EventProof, 'event'>
  /** That the first `from` events of the log are the beginning of those that the checkpoint covers; null if not asked for. */
  consistency: { from: number; hashes: string[] } | null
  /** From the first to the last, with salt and digest. */
  events: () => AsyncGenerator<RecordedEvent, void>
}

/**
 * Proves a ledger under the last checkpoint that covers it, or one of now. `since`: the size of an earlier checkpoint.
 * Null where nothing was ever posted. @throws InvalidInput, EngineUnavailable
 */
export async function proveLedger(
  { logTree, eventStore }: ProofPorts,
  accountId: Uuid,
  since?: number,
): Promise<LedgerProof | null> {
  const stream = streamName('ledger', accountId)
  const last = await lastEvent(eventStore, stream)
  if (!last) return null
  const leafOf = () => logTree.leaves.ofStream(stream, last.revision)
  const [known] = await leafOf()
  const asked = known && Math.max(known.index + 1, since ?? 0)
  const { size, note, key } = await logTree.checkpoint(SYSTEM, asked)
  const [leaf] = known ? [known] : await leafOf()
  if (!leaf || leaf.index >= size)
    throw new EngineUnavailable('leaves of the log', 'the ledger has no place in the tree yet')
  if (since !== undefined && (since < 1 || since > size)) {
    const reason = 'must be the size of a checkpoint of this log'
    throw new InvalidInput('VALIDATION_ERROR', `since ${reason}`, { parameter: 'since', reason })
  }
  const hashes = since === undefined ? null : await proveConsistency(logTree.leaves, since, size)
  return {
    accountId,
    stream,
    checkpoint: note,
    key,
    size,
    head: await placeOf(leaf, size, await subtreeRoots(logTree.leaves)),
    consistency: hashes && { from: since!, hashes },
    async *events() {
      for await (const event of eventStore.read(stream)) {
        if (event.revision > last.revision) return
        yield event
      }
    },
  }
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

/** The note of the last checkpoint, where it covers an event of a stream; null where it does not yet. */
export async function coveringNote(
  { leaves, lastCheckpoint }: Pick<LogTree, 'leaves' | 'lastCheckpoint'>,
  stream: StreamName,
  revision: Revision,
): Promise<string | null> {
  const [[leaf], last] = await Promise.all([leaves.ofStream(stream, revision), lastCheckpoint()])
  return leaf && last && leaf.index < last.size ? last.note : null
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

const placeOf = async (
  { index, ...leaf }: PlacedLeaf,
  size: number,
  root: Awaited<ReturnType<typeof subtreeRoots>>,
): Promise<Omit<EventProof, 'event'>> => ({
  index,
  leaf,
  hashes: (await inclusionProof(index, size, root)).map(inBase64),
})

/** How many events a checkpoint has to cover; undefined where an event of the subject may have no leaf yet. */
async function askedFor(
  eventStore: ProofPorts['eventStore'],
  subject: string,
  known: readonly PlacedLeaf[],
): Promise<number | undefined> {
  const leaf = known.at(-1)
  if (!leaf) return undefined
  const isWhole =
    parseMediaId(subject) === null || (await lastEvent(eventStore, leaf.stream))?.revision === leaf.revision
  return isWhole ? leaf.index + 1 : undefined
}

/** What an account is shown of its own: streams of keys, webhooks and kept answers hold secrets of others who use it. */
const SHOWN: readonly string[] = ['media', 'ledger', 'batch', 'library', 'erasure'] satisfies Category[]

async function isOwn(
  eventStore: ProofPorts['eventStore'],
  [leaf]: readonly PlacedLeaf[],
  accountId: Uuid,
): Promise<boolean> {
  if (!leaf || !SHOWN.includes(categoryIn(leaf.stream))) return false
  if (idIn(leaf.stream) === accountId) return true
  // The first event that is left of such a stream names the account.
  for await (const { data } of eventStore.read(leaf.stream, { limit: 1 }))
    return data['accountId'] === accountId
  return false
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
