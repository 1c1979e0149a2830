import { signNote, verifierKey, type NoteSigner } from '@medialog/contract/signed-note'
import { CHECKPOINTS_ID, type LogCheckpoint } from '@medialog/domain'
import type { Clock, LogPosition } from '@medialog/kernel'
import { SYSTEM, type Origin } from '../event-sourcing/executing.ts'
import { streamName, type Streams } from '../event-sourcing/streams.ts'
import { EngineUnavailable, type EventStore, type LogLeaves } from '../ports/index.ts'
import { checkpointText, originOf } from './checkpoint.ts'
import { TreeFollower, type FollowingPorts, type KeptTree } from './follow-log.ts'
import { handover, trustedKeys, type FormerKey, type PublicKeys } from './handover.ts'
import { TreeWatcher, type WatchingPorts } from './watch-leaves.ts'

export interface SigningPorts extends WatchingPorts {
  eventStore: Pick<EventStore, 'subscribe' | 'head' | 'read'>
  streams: Streams
  clock: Clock
  /** Null: this process has no key, and can prove but not sign. */
  signer: NoteSigner | null
  /** The one that signed before it, until that is recorded. */
  former: FormerKey | null
}

export interface LogTreePorts extends FollowingPorts, SigningPorts {
  eventStore: SigningPorts['eventStore']
  /** Events between two checkpoints. */
  every: number
  /** Receives why a checkpoint was not made; the next event is the next occasion. */
  onTrouble: (error: unknown) => void
}

/** The tree over all events, and what is signed of it. */
export interface LogTree {
  readonly leaves: LogLeaves
  /** Resolves once the leaves of all events up to there are kept for good: only then may one of them be erased. */
  holds(position: LogPosition): Promise<void>
  /**
   * Signs what the log holds now, and records it in the log; the last one again where nothing came since, or where it
   * covers as many events as are `asked`.
   */
  checkpoint(origin: Origin, asked?: number): Promise<LogCheckpoint>
  /** The last that was recorded. */
  lastCheckpoint(): Promise<LogCheckpoint | null>
  keys(): Promise<PublicKeys>
  /** Signs any text about this log, whose name it begins with, as checkpoints are signed; lines as in signNote. */
  sign(lines: (origin: string) => string): Promise<{ note: string; key: string }>
  close(): Promise<void>
}

/** One that this process keeps. */
export interface FollowingLogTree extends LogTree {
  /** What keeps it from following the log now, for people, or null. */
  trouble(): string | null
}

/** A checkpoint of the tree that these leaves are of, and the key that proves it. @throws EngineUnavailable */
export async function signTree({
  size,
  root,
  leaves,
  signer,
}: {
  size: number
  root: Buffer
  leaves: Pick<LogLeaves, 'read'>
  signer: NoteSigner
}): Promise<{ note: string; key: string }> {
  const name = await originIn(leaves)
  return {
    note: signNote(checkpointText({ origin: name, size, root }), name, signer),
    key: verifierKey({ name, publicKey: signer.publicKey }),
  }
}

/** A key that another process replaced is known after so long. */
const KEYS_KNOWN_MS = 60_000

async function originIn(leaves: Pick<LogLeaves, 'read'>): Promise<string> {
  const [first] = await leaves.read(0, 1)
  if (!first) throw new EngineUnavailable('leaves of the log', 'the log holds no event yet')
  return originOf(first)
}

/**
 * Follows the log and keeps its tree, with a checkpoint whenever so many events came, where there is a key to sign it.
 * @throws nothing: whatever fails is tried again
 */
export function startLogTree(ports: LogTreePorts): FollowingLogTree {
  const { streams, signer, every, onTrouble } = ports
  /** How many leaves the last checkpoint had; null until it is known. */
  let covered: number | null = null
  let making: Promise<unknown> | null = null
  let closed = false
  const follower = new TreeFollower(ports, (size) => {
    if (making || closed || signer === null || (covered !== null && size - covered < every)) return
    making = makeDue(size)
      .catch((error: unknown) => {
        if (!closed) onTrouble(error)
      })
      .finally(() => {
        making = null
      })
  })
  const tree = treeOver(follower, ports)

  /** Others may have made one meanwhile. */
  async function makeDue(size: number): Promise<void> {
    covered = (await lastRecorded(streams))?.size ?? 0
    if (size - covered >= every) await checkpoint(SYSTEM)
  }

  async function checkpoint(by: Origin, asked?: number): Promise<LogCheckpoint> {
    const made = await tree.checkpoint(by, asked)
    covered = made.size
    return made
  }

  return {
    ...tree,
    checkpoint,
    trouble: () => follower.trouble,
    async close() {
      closed = true
      await tree.close()
      await making
    },
  }
}

/** The tree that another process keeps: what is asked of it waits until its leaves have come so far. */
export const watchLogTree = (ports: SigningPorts): LogTree => treeOver(new TreeWatcher(ports), ports)

function treeOver(
  kept: KeptTree,
  { eventStore, leaves, streams, clock, signer, former }: SigningPorts,
): LogTree {
  function requireSigner(): NoteSigner {
    if (signer === null)
      throw new EngineUnavailable('leaves of the log', 'this process has no key: MEDIALOG_CHECKPOINT_KEY')
    return signer
  }

  async function checkpoint(by: Origin, asked?: number): Promise<LogCheckpoint> {
    const signing = requireSigner()
    await recordHandover(by)
    const before = asked === undefined ? null : await lastRecorded(streams)
    if (before && before.size >= asked! && before.key === (await keyOf(signing))) return before
    const { size, root } = await kept.now()
    const signed = await signTree({ size, root, leaves, signer: signing })
    const last = await lastRecorded(streams)
    if (last && last.key === signed.key && (await isCoveredBy(last, size))) return last
    const command = {
      type: 'RecordCheckpoint',
      size,
      root: root.toString('hex'),
      ...signed,
      at: clock.now(),
    } as const
    const { selected } = await streams.execute('checkpoints', CHECKPOINTS_ID, command, by, {
      select: (state) => state.last,
    })
    return selected!
  }

  const keyOf = async ({ publicKey }: NoteSigner): Promise<string> =>
    verifierKey({ name: await originIn(leaves), publicKey })

  /** Anybody may ask, and looking for handovers takes the whole stream of checkpoints. */
  let lastAsked: { keys: Promise<PublicKeys>; at: number } | null = null

  async function keys(): Promise<PublicKeys> {
    const signing = requireSigner()
    const now = clock.now()
    if (lastAsked && Math.abs(now - lastAsked.at) < KEYS_KNOWN_MS) return lastAsked.keys
    const read = async (): Promise<PublicKeys> => trustedKeys(eventStore, await keyOf(signing), former)
    const mine = { keys: read(), at: now }
    lastAsked = mine
    mine.keys.catch(() => {
      if (lastAsked === mine) lastAsked = null
    })
    return mine.keys
  }

  async function recordHandover(by: Origin): Promise<void> {
    if (former === null) return
    const made = handover(await originIn(leaves), former, requireSigner())
    const { former: known } = await trustedKeys(eventStore, made.key, null)
    if (made.former === made.key || known.includes(made.former)) return
    const command = { type: 'RecordHandover', ...made, at: clock.now() } as const
    await streams.execute('checkpoints', CHECKPOINTS_ID, command, by)
    lastAsked = null
  }

  /** All that came since is the event that records it. */
  async function isCoveredBy(last: LogCheckpoint, size: number): Promise<boolean> {
    const [next] = size === last.size + 1 ? await leaves.read(last.size, 1) : []
    return size <= last.size || next?.stream === streamName('checkpoints', CHECKPOINTS_ID)
  }

  return {
    leaves,
    holds: (position) => kept.holds(position),
    checkpoint,
    lastCheckpoint: () => lastRecorded(streams),
    keys,
    async sign(lines) {
      const signing = requireSigner()
      const name = await originIn(leaves)
      const key = verifierKey({ name, publicKey: signing.publicKey })
      return { note: signNote(lines(name), name, signing), key }
    },
    close: () => kept.close(),
  }
}

const lastRecorded = async (streams: Streams): Promise<LogCheckpoint | null> =>
  (await streams.load('checkpoints', CHECKPOINTS_ID, ({ last }) => last)).selected
