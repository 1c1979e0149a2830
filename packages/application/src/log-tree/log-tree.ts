import { CHECKPOINTS_ID, type LogCheckpoint } from '@medialog/domain'
import type { Clock, LogPosition } from '@medialog/kernel'
import { SYSTEM, streamName, type Origin, type Streams } from '../event-sourcing/streams.ts'
import { EngineUnavailable, type EventStore, type LogLeaves } from '../ports/index.ts'
import { checkpointText, originOf } from './checkpoint.ts'
import { TreeFollower, type FollowingPorts } from './follow-log.ts'
import { recordedCheckpoints } from './recorded-checkpoints.ts'
import { signNote, verifierKey, type NoteSigner } from '@medialog/contract/signed-note'

export interface LogTreePorts extends FollowingPorts {
  eventStore: Pick<EventStore, 'subscribe' | 'head' | 'read'>
  streams: Streams
  clock: Clock
  signer: NoteSigner
  /** Events between two checkpoints. */
  every: number
  /** Hears of a checkpoint that was not made; the next event is the next occasion. */
  onTrouble: (error: unknown) => void
}

/** Public keys that prove checkpoints, in the form that verifiers of signed notes take. */
export interface PublicKeys {
  current: string
  /** Of keys that were in use before, oldest first. */
  former: string[]
}

/** The tree over all events, and what is signed of it. */
export interface LogTree {
  readonly leaves: LogLeaves
  /** Resolves once the leaves of all events up to there are kept for good: only then may one of them be erased. */
  holds(position: LogPosition): Promise<void>
  /** Signs what the log holds now, and records it in the log; the last one again where nothing came since. */
  checkpoint(origin: Origin): Promise<LogCheckpoint>
  keys(): Promise<PublicKeys>
  /** Signs any text about this log, whose name it begins with, as checkpoints are signed; lines as in signNote. */
  sign(lines: (origin: string) => string): Promise<{ note: string; key: string }>
  close(): Promise<void>
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

async function originIn(leaves: Pick<LogLeaves, 'read'>): Promise<string> {
  const [first] = await leaves.read(0, 1)
  if (!first) throw new EngineUnavailable('leaves of the log', 'the log holds no event yet')
  return originOf(first)
}

/** Follows the log and keeps its tree, with a checkpoint whenever so many events came. @throws nothing: whatever fails is tried again */
export function startLogTree(ports: LogTreePorts): LogTree {
  const { eventStore, leaves, streams, clock, signer, every, onTrouble } = ports
  /** How many leaves the last checkpoint had; null until it is known. */
  let covered: number | null = null
  let making: Promise<unknown> | null = null
  let closed = false
  const follower = new TreeFollower(ports, (size) => {
    if (making || closed || (covered !== null && size - covered < every)) return
    making = makeDue(size)
      .catch((error: unknown) => {
        if (!closed) onTrouble(error)
      })
      .finally(() => {
        making = null
      })
  })

  async function makeDue(size: number): Promise<void> {
    covered ??= (await lastRecorded())?.size ?? 0
    if (size - covered >= every) await checkpoint(SYSTEM)
  }

  async function lastRecorded(): Promise<LogCheckpoint | null> {
    return (await streams.load('checkpoints', CHECKPOINTS_ID, ({ last }) => last)).selected
  }

  async function checkpoint(by: Origin): Promise<LogCheckpoint> {
    const { size, root } = await follower.now()
    const signed = await signTree({ size, root, leaves, signer })
    const last = await lastRecorded()
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
    covered = selected!.size
    return selected!
  }

  /** All that came since is the event that tells of it. */
  async function isCoveredBy(last: LogCheckpoint, size: number): Promise<boolean> {
    const [next] = size === last.size + 1 ? await leaves.read(last.size, 1) : []
    return size <= last.size || next?.stream === streamName('checkpoints', CHECKPOINTS_ID)
  }

  return {
    leaves,
    holds: (position) => follower.holds(position),
    checkpoint,
    async keys() {
      const current = verifierKey({ name: await originIn(leaves), publicKey: signer.publicKey })
      const used = new Set<string>()
      for await (const { key } of recordedCheckpoints(eventStore)) used.add(key)
      used.delete(current)
      return { current, former: [...used] }
    },
    async sign(lines) {
      const name = await originIn(leaves)
      const key = verifierKey({ name, publicKey: signer.publicKey })
      return { note: signNote(lines(name), name, signer), key }
    },
    async close() {
      closed = true
      await follower.close()
      await making
    },
  }
}
