import type { Operation as RunningOperation } from '@medialog/application'
import type { Operation } from '@medialog/contract/http'
import { counted, isoTime } from '@medialog/kernel'
import type { z } from 'zod'
import { createEventStream } from '../answers/event-stream.ts'
import { Refusal } from '../answers/refusal.ts'
import { BODY_TIMEOUT_MS, type HttpOptionsOf } from '../options.ts'
import type { Handlers } from '../route.ts'

/** `ending` ends the streams that are open, so that a stopping server need not wait for them. */
export function operationHandlers(
  {
    application: { operations },
    logger,
    bodyTimeoutMs: idleMs = BODY_TIMEOUT_MS,
  }: HttpOptionsOf<'operations'>,
  ending: AbortSignal,
): Handlers<'startOperation' | 'listOperations' | 'readOperation'> {
  return {
    async startOperation({ body }) {
      const started = await operations.start(body)
      return { message: 'The operation is running.', data: operationView(started) }
    },

    async listOperations() {
      const listed = await operations.list()
      return {
        message: `${counted(listed.length, 'operation')}.`,
        data: { operations: listed.map(operationView) },
      }
    },

    async readOperation({ ctx, params: { operation_id: id } }) {
      const operation = await operations.find(id)
      if (!operation)
        throw new Refusal('RESOURCE_NOT_FOUND', 'There is no such operation.', {
          resource_type: 'operation',
          resource_id: id,
        })
      const wantsEvents =
        ctx.method === 'GET' && ctx.accepts('application/json', 'text/event-stream') === 'text/event-stream'
      if (!wantsEvents)
        return { message: `The operation: ${operation.status}.`, data: operationView(operation) }
      const events = createEventStream(ctx, { idleMs })
      const signal = AbortSignal.any([events.signal, ending])
      const watch = async (): Promise<void> => {
        for await (const change of operations.watch(id, signal))
          await events.send('operation', operationView(change))
      }
      events.open()
      watch()
        .catch((error: unknown) => {
          if (!signal.aborted) logger.error({ err: error }, 'watching an operation failed')
        })
        .finally(() => events.end())
      return undefined
    },
  }
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
