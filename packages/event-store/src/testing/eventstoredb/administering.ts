import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Faults } from './faults.ts'
import type { ServerLog } from './server-log.ts'

interface Answer {
  status: number
  body: unknown
}

/** The HTTP side: who is in the cluster, and scavenges, which note in the log how far they are. */
export function administering(port: () => number, log: ServerLog, faults: Faults): Server {
  let current: { id: string; stop: AbortController } | null = null

  function note(id: string, type: string, data: object): void {
    const stream = `$scavenges-${id}`
    const event = {
      id: randomUUID(),
      type,
      contentType: 'application/json',
      data: Buffer.from(JSON.stringify({ scavengeId: id, ...data })),
      metadata: Buffer.alloc(0),
    }
    log.append(stream, log.last(stream)?.revision ?? -1, [event])
  }

  async function scavenge(id: string, { signal }: AbortController): Promise<void> {
    note(id, '$scavengeStarted', {})
    note(id, '$scavengeChunksCompleted', { chunkStartNumber: 0, chunkEndNumber: 0, spaceSaved: 0 })
    while (faults.holdsScavenges && !signal.aborted) await sleep(10, undefined, { ref: false })
    if (faults.forgetsScavenge) {
      current = null
      return
    }
    const before = log.all.reduce((sum, { data }) => sum + data.length, 0)
    if (!signal.aborted) log.scavenge()
    const spaceSaved = before - log.all.reduce((sum, { data }) => sum + data.length, 0)
    current = null
    note(id, '$scavengeCompleted', {
      result: signal.aborted ? 'Stopped' : 'Success',
      error: null,
      spaceSaved,
    })
  }

  function start(): Answer {
    if (current) return { status: 400, body: 'Scavenge is already running' }
    const id = randomUUID()
    current = { id, stop: new AbortController() }
    void scavenge(id, current.stop)
    return { status: 200, body: { scavengeId: id } }
  }

  function stop(id: string): Answer {
    if (current?.id !== id) return { status: 404, body: 'scavengeId does not exist' }
    current.stop.abort()
    return { status: 200, body: id }
  }

  function members(): object[] {
    const node = (state: string, host: string, port: number) => ({
      state,
      isAlive: true,
      httpEndPointIp: host,
      httpEndPointPort: port,
    })
    const { leader } = faults
    return leader
      ? [node('Leader', leader.host, leader.port), node('Follower', '127.0.0.1', port())]
      : [node('Leader', '127.0.0.1', port())]
  }

  function answerTo(method: string, path: string): Answer {
    if (method === 'GET' && path === '/gossip') return { status: 200, body: { members: members() } }
    if (faults.refusesAdministration) return { status: 401, body: 'Unauthorized' }
    const [, id] = /^\/admin\/scavenge\/([\w-]+)$/.exec(path) ?? []
    if (method === 'POST' && path === '/admin/scavenge') return start()
    if (method === 'GET' && id === 'current') return { status: 200, body: { scavengeId: current?.id ?? '' } }
    if (method === 'DELETE' && id) return stop(id)
    return { status: 404, body: '' }
  }

  return createServer((request, response) => {
    if (faults.hanging) return
    const { status, body } = answerTo(request.method!, request.url!)
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
}
