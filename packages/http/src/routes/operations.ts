import { Readable } from 'node:stream'
import type { Operation as RunningOperation } from '@medialog/application'
import type { Operation } from '@medialog/contract/http'
import { isoTime } from '@medialog/kernel'
import type { z } from 'zod'
import { Refusal } from '../answers/refusal.ts'
import type { EdgeContext } from '../exchange.ts'
import type { HttpOptions } from '../options.ts'
import type { Handlers } from '../route.ts'

/** Keeps proxies from closing a quiet connection. */
const HEARTBEAT_MS = 15_000

/** `ending` ends the streams that are open, so that a stopping server need not wait for them. */
export function operationHandlers(
  { application: { operator } }: HttpOptions,
  ending: AbortSignal,
): Handlers<'startOperation' | 'listOperations' | 'readOperation'> {
  return {
    async startOperation({ body }) {
      const started = await operator.startOperation(body)
      return { message: 'The operation is running.', data: operationView(started) }
    },

    async listOperations() {
      const operations = await operator.operations()
      return {
        message: `${operations.length} operations.`,
        data: { operations: operations.map(operationView) },
      }
    },

    async readOperation({ ctx, params: { operation_id: id } }) {
      const operation = await operator.operation(id)
      if (!operation)
        throw new Refusal('RESOURCE_NOT_FOUND', 'There is no such operation.', {
          resource_type: 'operation',
          resource_id: id,
        })
      const wantsEvents =
        ctx.method === 'GET' && ctx.accepts('application/json', 'text/event-stream') === 'text/event-stream'
      if (!wantsEvents)
        return { message: `The operation: ${operation.status}.`, data: operationView(operation) }
      watch(ctx, (signal) => operator.watchOperation(id, signal), ending)
      return undefined
    },
  }
}

function watch(
  ctx: EdgeContext,
  changes: (signal: AbortSignal) => AsyncIterable<RunningOperation>,
  ending: AbortSignal,
): void {
  const gone = new AbortController()
  const signal = AbortSignal.any([gone.signal, ending])
  const stream = Readable.from(eventsOf(changes(signal)), { objectMode: false, highWaterMark: 64 * 1024 })
  const heartbeat = setInterval(() => ctx.res.write(': \n\n'), HEARTBEAT_MS).unref()
  ctx.res.once('close', () => {
    clearInterval(heartbeat)
    gone.abort()
  })
  ctx.type = 'text/event-stream'
  ctx.body = stream
}

async function* eventsOf(changes: AsyncIterable<RunningOperation>): AsyncIterable<Buffer> {
  for await (const change of changes)
    yield Buffer.from(`event: operation\ndata: ${JSON.stringify(operationView(change))}\n\n`)
}

function operationView(operation: RunningOperation): z.input<typeof Operation> {
  const { operationId, kind, parameters, status, progress, result, error, startedAt, endedAt } = operation
  return {
    operation_id: operationId,
    kind,
    parameters,
    status,
    progress,
    result,
    error,
    started_at: isoTime(startedAt),
    ended_at: endedAt === null ? null : isoTime(endedAt),
  }
}
