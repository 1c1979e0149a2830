import { setTimeout as sleep } from 'node:timers/promises'
import {
  EngineUnavailable,
  type LogScavenger,
  type ScavengedPlace,
  type ScavengeReport,
} from '@medialog/application/ports'
import { explain } from '@medialog/kernel'
import type { AdminAnswer } from './admin.ts'
import { describeFailure } from './failures.ts'
import type { TruncationPorts } from './truncations.ts'

type OnProgress = Parameters<LogScavenger['scavenge']>[0]

/** Bytes of the log to a chunk, unless its operator has changed that: only what is said of progress depends on it. */
const CHUNK_BYTES = 2 ** 28
const EVENTS_AT_ONCE = 500
/** Looks at which a node did not report a scavenge and did not have it any more, or was unavailable. */
const LOST_AFTER_LOOKS = 5

/** What the server writes into a scavenge's own stream, as far as it is looked at. */
interface Note {
  chunkEndNumber?: number
  spaceSaved?: number
  result?: string
  error?: string
}

/**
 * Scavenges of a server: each of its nodes has files of its own and is asked to take what is hidden out of them, the leader
 * last. How far one is, its node notes in a stream.
 */
export class Scavenging {
  #ports: TruncationPorts
  #closing = new AbortController()

  constructor(ports: TruncationPorts) {
    this.#ports = ports
  }

  /** See LogScavenger. */
  async scavenge(onProgress: OnProgress): Promise<ScavengeReport> {
    const begun = performance.now()
    const nodes = await this.#nodes()
    const places: ScavengedPlace[] = []
    for (const [done, node] of nodes.entries()) {
      const told: OnProgress = ({ ratio, message }) =>
        onProgress({ ratio: (done + ratio) / nodes.length, message: `${node}: ${message}` })
      try {
        places.push(await this.#onNode(node, told))
      } catch (error) {
        if (this.#closing.signal.aborted) throw error
        const said = error instanceof NoAnswer ? error.message : describeFailure(error)
        places.push({ name: node, outcome: 'failed', freedBytes: 0, said })
      }
    }
    return { places, seconds: (performance.now() - begun) / 1_000 }
  }

  /** See LogScavenger. */
  async stop(): Promise<number> {
    let stopped = 0
    for (const node of await this.#nodes()) {
      const id = await this.#current(node)
      if (id === null) continue
      const { status } = await this.#ask(node, 'DELETE', `/admin/scavenge/${id}`)
      // What is not found has ended meanwhile.
      if (status === 200) stopped++
    }
    return stopped
  }

  /** What is followed is left to the server. */
  close(): void {
    this.#closing.abort()
  }

  async #onNode(node: string, onProgress: OnProgress): Promise<ScavengedPlace> {
    onProgress({ ratio: 0, message: 'starting' })
    const { status, body } = await this.#ask(node, 'POST', '/admin/scavenge')
    // One that is under way already is joined.
    const id = status === 200 ? idIn(body) : await this.#current(node)
    if (id === null) throw new NoAnswer(`${node} does not start: ${body || status}`)
    return { name: node, ...(await this.#follow(node, id, onProgress)) }
  }

  async #follow(node: string, id: string, onProgress: OnProgress): Promise<Omit<ScavengedPlace, 'name'>> {
    const { availability, limits, pages } = this.#ports
    const { signal } = this.#closing
    const chunks = await this.#chunks()
    let [next, freedBytes, looks] = [0, 0, 0]
    for (;;) {
      const notes = await availability.attempt(() =>
        pages.ofStream(`$scavenges-${id}`, next, 'forwards', EVENTS_AT_ONCE),
      )
      for (const { revision, type, data } of notes ?? []) {
        next = Number(revision) + 1
        const note = data as Note
        if (type === '$scavengeCompleted') return ended(note, freedBytes)
        freedBytes += note.spaceSaved ?? 0
        if (type !== '$scavengeChunksCompleted' || note.chunkEndNumber === undefined) continue
        const through = note.chunkEndNumber + 1
        onProgress({
          ratio: Math.min(through / chunks, 1),
          message: `through ${through} of about ${Math.max(chunks, through)} chunks`,
        })
      }
      const isThere = (await this.#current(node).catch(() => null)) === id
      looks = isThere || notes?.length ? 0 : looks + 1
      if (looks > LOST_AFTER_LOOKS)
        return {
          outcome: 'failed',
          freedBytes,
          said: 'the node is unavailable, or was restarted: start it again',
        }
      await sleep(limits.probeMs, undefined, { signal })
    }
  }

  /** About how many there are. */
  async #chunks(): Promise<number> {
    const { availability, pages } = this.#ports
    const end = await availability.attempt(() => pages.end())
    return Math.max(1, Math.ceil(end / CHUNK_BYTES))
  }

  /** The id of what is under way on the node. */
  async #current(node: string): Promise<string | null> {
    const { status, body } = await this.#ask(node, 'GET', '/admin/scavenge/current')
    if (status !== 200) throw new NoAnswer(`${node} does not say what is under way: ${body || status}`)
    return idIn(body)
  }

  /** Those that are alive, as one of the named ones says; the leader last, so that what it leads goes on for longest. */
  async #nodes(): Promise<string[]> {
    const { connection } = this.#ports
    let why: unknown
    for (const host of connection.hosts)
      try {
        const { members = [] } = JSON.parse((await this.#ask(host, 'GET', '/gossip')).body) as Gossip
        const alive = members.filter(({ isAlive, state }) => isAlive && KEEPING.has(state))
        // A single node is asked by the name that it is known by here.
        if (alive.length < 2) return [host]
        return alive
          .sort((a, b) => Number(a.state === 'Leader') - Number(b.state === 'Leader'))
          .map(({ httpEndPointIp, httpEndPointPort }) => `${httpEndPointIp}:${httpEndPointPort}`)
      } catch (error) {
        why = error
      }
    throw new EngineUnavailable(
      'event log',
      `${connection.name} does not say which nodes it has: ${explain(why)}`,
      {
        cause: why,
      },
    )
  }

  async #ask(node: string, method: 'GET' | 'POST' | 'DELETE', path: string): Promise<AdminAnswer> {
    const { connection, limits } = this.#ports
    const answer = await connection.admin(node, method, path, limits.callMs)
    if (answer.status === 401 || answer.status === 403)
      throw new NoAnswer(`${node} refuses the user: a scavenge is for members of $admins or $ops`)
    return answer
  }
}

/** A node refuses, or gives no useful answer; for people. */
class NoAnswer extends Error {
  override name = 'NoAnswer'
}

/** A node's view of its cluster, as far as it is used. */
interface Gossip {
  members?: { state: string; isAlive: boolean; httpEndPointIp: string; httpEndPointPort: number }[]
}

/** States of nodes that keep the log. */
const KEEPING = new Set(['Leader', 'Follower', 'ReadOnlyReplica', 'Clone', 'CatchingUp'])

const idIn = (body: string): string | null => (JSON.parse(body) as { scavengeId?: string }).scavengeId || null

function ended({ result, error, spaceSaved }: Note, freedBytes: number): Omit<ScavengedPlace, 'name'> {
  const freed = spaceSaved ?? freedBytes
  switch (result) {
    case 'Success':
      return { outcome: 'done', freedBytes: freed, said: 'what was erased is out of all completed chunks' }
    case 'Stopped':
      return {
        outcome: 'stopped',
        freedBytes: freed,
        said: 'it was stopped; the next one goes on from there',
      }
    default:
      return { outcome: 'failed', freedBytes: freed, said: error || `it ended as ${result}` }
  }
}
