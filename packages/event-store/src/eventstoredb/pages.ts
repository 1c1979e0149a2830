import {
  BACKWARDS,
  END,
  FORWARDS,
  START,
  type EventStoreDBClient,
  type StreamingRead,
} from '@eventstore/db-client'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js'
import type { LogPosition, Revision } from '@medialog/kernel'
import type { Connection } from './connection.ts'
import { isMissing, TimedOut } from './failures.ts'
import type { Limits } from './limits.ts'

/** Events read at a time. */
export const PAGE = 512

/** What the client hands out of an event, as far as it is used. */
export interface ServerEvent {
  id: string
  streamId: string
  revision: bigint
  type: string
  data: unknown
  metadata?: unknown
  position?: { commit: bigint; prepare: bigint }
}

/** Pages of events as the server has them, each one call that is over when it is answered. */
export class Pages {
  #connection: Connection
  #limits: Limits

  constructor(connection: Connection, limits: Limits) {
    this.#connection = connection
    this.#limits = limits
  }

  /** Of a stream, from a revision on (inclusive; null: from its end backwards); null for one that is not there. */
  async ofStream(
    stream: string,
    from: Revision | null,
    direction: 'forwards' | 'backwards',
    limit: number,
  ): Promise<ServerEvent[] | null> {
    const { client, call } = this.#connection
    try {
      return await this.#whole(
        client.readStream(stream, {
          ...call,
          direction,
          fromRevision: from === null ? END : BigInt(from),
          maxCount: limit,
        }),
      )
    } catch (error) {
      if (isMissing(error)) return null
      throw error
    }
  }

  /** The stream's last event, or null. */
  async lastOf(stream: string): Promise<ServerEvent | null> {
    return (await this.ofStream(stream, null, 'backwards', 1))?.[0] ?? null
  }

  /**
   * Of all streams, hidden and system events included, from a position on (inclusive). `prefix`: of those alone whose names
   * begin so, and the server says nothing while it looks for them. @throws TimedOut where that takes it too long
   */
  async ofAll(from: LogPosition, limit: number, prefix = ''): Promise<ServerEvent[]> {
    const { client, call } = this.#connection
    const fromPosition = from === 0 ? START : at(from)
    const reader = prefix === '' ? client : filtered(client, prefix)
    return this.#whole(reader.readAll({ ...call, direction: FORWARDS, fromPosition, maxCount: limit }))
  }

  /** The same backwards, before a position (null: from the end), one by one as the server sends them. */
  allBefore(before: LogPosition | null, limit: number): AsyncGenerator<ServerEvent> {
    const { client, call } = this.#connection
    const fromPosition = before === null ? END : at(before)
    return this.#sent(client.readAll({ ...call, direction: BACKWARDS, fromPosition, maxCount: limit }))
  }

  /** The last event before a position of streams whose names begin so, or null. @throws TimedOut, as above */
  async lastBefore(before: LogPosition, prefix: string): Promise<ServerEvent | null> {
    const { client, call } = this.#connection
    const asked = { ...call, direction: BACKWARDS, fromPosition: at(before), maxCount: 1 } as const
    return (await this.#whole(filtered(client, prefix).readAll(asked)))[0] ?? null
  }

  /** Position of the server's last record, records of other programs included. */
  async end(): Promise<LogPosition> {
    const [newest] = await Array.fromAsync(this.allBefore(null, 1))
    return newest ? positionOf(newest) : 0
  }

  #whole(read: StreamingRead<{ event?: ServerEvent }>): Promise<ServerEvent[]> {
    return Array.fromAsync(this.#sent(read))
  }

  /** The client sets reads no deadline, and leaves the call open where a reader stops: it is cancelled, and what had come let through. */
  async *#sent(read: StreamingRead<{ event?: ServerEvent }>): AsyncGenerator<ServerEvent> {
    let isOver = false
    const timer = setTimeout(() => read.destroy(new TimedOut()), this.#limits.callMs)
    // The client emits some errors twice, the second time without a listener.
    read.on('error', () => undefined)
    try {
      for await (const { event } of read.iterator({ destroyOnReturn: false })) {
        timer.refresh()
        if (event) yield event
      }
      isOver = true
    } finally {
      clearTimeout(timer)
      if (!isOver) {
        read.cancel().catch(() => undefined)
        read.resume()
      }
    }
  }
}

type Read = (request: ReadReq, ...options: unknown[]) => unknown

/** The same client, reading of all streams those whose names begin so: the protocol knows that, `readAll` does not. */
function filtered(client: EventStoreDBClient, prefix: string): Pick<EventStoreDBClient, 'readAll'> {
  const { FilterOptions } = streams.ReadReq.Options
  const expression = new FilterOptions.Expression()
  expression.setPrefixList([prefix])
  const filter = new FilterOptions()
  filter.setStreamIdentifier(expression)
  filter.setCount(new shared.Empty())
  filter.setCheckpointintervalmultiplier(1)
  const create = client['GRPCStreamCreator'] as (...of: unknown[]) => unknown
  return Object.assign(Object.create(client) as EventStoreDBClient, {
    GRPCStreamCreator: (service: unknown, name: string, call: (grpc: { read: Read }) => unknown) =>
      create(service, name, (grpc: { read: Read }) =>
        call({
          read(request, ...options) {
            request.getOptions()!.setFilter(filter)
            return grpc.read(request, ...options)
          },
        }),
      ),
  })
}

/** Of what is written by gRPC commit and prepare position are one. */
export const at = (position: LogPosition): { commit: bigint; prepare: bigint } => ({
  commit: BigInt(position),
  prepare: BigInt(position),
})

/** Bytes of the log before the event: a number holds them exactly up to 9 petabytes. */
export const positionOf = ({ position }: ServerEvent): LogPosition => Number(position!.commit)
