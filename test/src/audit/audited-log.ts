import { generateKeyPairSync } from 'node:crypto'
import {
  createBackground,
  createStreams,
  startLogTree,
  SYSTEM,
  verifyLog,
  watchLogTree,
  type AuditReport,
  type EventStore,
  type FormerKey,
  type LogLeaves,
  type LogTree,
  type LogVerifier,
  type PublicKeys,
} from '@medialog/application'
import { noteSigner } from '@medialog/contract/signed-note'
import { openSqliteLeaves } from '@medialog/event-store'
import { newEvent } from '@medialog/event-store/testing/events'
import { systemClock, type StreamName } from '@medialog/kernel'

export interface AuditedLog {
  /** The log that an open service has, and its tree. */
  verify(exported?: string | null): Promise<AuditReport>
  keys(): Promise<PublicKeys>
  /** Signs what there is: the note. */
  checkpoint(): Promise<string>
  /** Takes the stream's past away, once its leaves are kept. */
  erase(stream: StreamName, before: number): Promise<void>
  close(): Promise<void>
}

export interface AuditOptions {
  /** Events between two checkpoints. */
  every?: number
  /** Signs them; the same for all unless said. */
  key?: string
  /** What signed before it. */
  former?: FormerKey | null
  /** Stands between the tree and its leaves. */
  adapt?: (leaves: LogLeaves) => LogLeaves
}

/** A private key in PEM. */
export const newKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
const KEY = newKey()

/** The tree of a log, as a service that is alone with it keeps it, in a file beside it. */
export const auditLog = (
  eventStore: EventStore & LogVerifier,
  leavesPath: string,
  { adapt = (leaves) => leaves, ...options }: AuditOptions = {},
): AuditedLog => keepTree(eventStore, adapt(openSqliteLeaves(leavesPath)), options)

/** The same with leaves that are anywhere. */
export function keepTree(
  eventStore: EventStore & LogVerifier,
  leaves: LogLeaves,
  { every = 1_000_000, key = KEY, former = null }: Omit<AuditOptions, 'adapt'> = {},
): AuditedLog {
  const tree = startLogTree({
    ...treePorts(eventStore, leaves, key, former),
    background: createBackground(() => undefined),
    every,
    onTrouble: () => undefined,
  })
  return audited(eventStore, tree)
}

/** As a service has it whose tree another process keeps. */
export const watchTree = (eventStore: EventStore & LogVerifier, leaves: LogLeaves): AuditedLog =>
  audited(eventStore, watchLogTree(treePorts(eventStore, leaves, KEY)))

const treePorts = (
  eventStore: EventStore,
  leaves: LogLeaves,
  key: string,
  former: FormerKey | null = null,
) => ({
  eventStore,
  leaves,
  streams: createStreams(eventStore, systemClock),
  clock: systemClock,
  signer: noteSigner(key),
  former,
})

function audited(eventStore: EventStore & LogVerifier, tree: LogTree): AuditedLog {
  const { leaves } = tree
  const ports = { eventStore, logVerifier: eventStore, leaves, keys: () => tree.keys(), clock: systemClock }
  return {
    verify: (exported = null) => verifyLog(ports, exported, () => undefined),
    keys: () => tree.keys(),
    checkpoint: async () => (await tree.checkpoint(SYSTEM)).note,
    async erase(stream, before) {
      await tree.holds(await eventStore.head())
      await eventStore.truncate(stream, before)
    },
    async close() {
      await tree.close()
      await leaves.close()
    },
  }
}

/**
 * Six events of `media-a` and `media-b` in turn, three of `media-c`, whose past is erased behind its deletion, and two more
 * of `media-a`: 17 in all, and the checkpoint over them. Answers that.
 */
export async function history(store: EventStore, log: AuditedLog): Promise<string> {
  const append = (stream: StreamName, revision: number, type?: string) =>
    store.append(stream, revision < 0 ? 'no-stream' : revision, [newEvent({ number: revision + 1 }, type)])
  for (let revision = -1; revision < 5; revision++)
    for (const stream of ['media-a', 'media-b'] as const) await append(stream, revision)
  await append('media-c', -1)
  await append('media-c', 0)
  await append('media-c', 1, 'MediaDeleted')
  await append('media-a', 5)
  await append('media-a', 6)
  const note = await log.checkpoint()
  await log.erase('media-c', 2)
  return note
}
