import grpcGossip from '@eventstore/db-client/generated/gossip_grpc_pb.js'
import grpcStreams from '@eventstore/db-client/generated/streams_grpc_pb.js'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import { administering } from './administering.ts'
import { appending } from './appending.ts'
import { deleting } from './deleting.ts'
import { Faults } from './faults.ts'
import { gossiping } from './gossiping.ts'
import { listenOnOnePort } from './one-port.ts'
import { reading } from './reading.ts'
import { ServerLog } from './server-log.ts'

/**
 * A server that speaks EventStoreDB's protocol on loopback and keeps its log in memory: what the adapter asks of the real
 * one, its ways of saying no, and its faults.
 */
export interface EventStoreDbDouble extends AsyncDisposable {
  /** For `EVENTSTOREDB_URL`; the same over restarts. */
  url: string
  port: number
  log: ServerLog
  faults: Faults
  /** Breaks all connections off, as a server that dies; the log stays. */
  stop(): Promise<void>
  /** Where it was before. */
  start(): Promise<void>
}

export async function startEventStoreDbDouble({ log = new ServerLog() } = {}): Promise<EventStoreDbDouble> {
  const faults = new Faults()
  let server = await listen(log, faults, 0)
  const { port } = server
  return {
    url: `esdb://127.0.0.1:${port}?tls=false`,
    port,
    log,
    faults,
    stop: () => server.stop(),
    async start() {
      server = await listen(log, faults, port)
    },
    [Symbol.asyncDispose]: () => server.stop(),
  }
}

async function listen(
  log: ServerLog,
  faults: Faults,
  port: number,
): Promise<{ port: number; stop: () => Promise<void> }> {
  const server = new Server()
  server.addService(grpcStreams.StreamsService, {
    append: appending(log, faults),
    read: reading(log, faults),
    ...deleting(log),
  })
  server.addService(grpcGossip.GossipService, { read: gossiping(() => front.port, faults) })
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, taken) =>
      error ? reject(error) : resolve(taken),
    )
  })
  const http = administering(() => front.port, log, faults)
  const front = await listenOnOnePort(port, bound, http)
  return {
    port: front.port,
    async stop() {
      server.forceShutdown()
      await front.stop()
    },
  }
}
