import type { CreateBatch } from '@medialog/application'
import { routes } from '@medialog/contract/http'
import { batchId, counted, isoTime, requestId as requestIds } from '@medialog/kernel'
import type { z } from 'zod'
import { idempotencyKey } from '../admission.ts'
import { requestContext, type EdgeContext } from '../exchange.ts'
import { BODY_TIMEOUT_MS, type HttpOptionsOf } from '../options.ts'
import { allStaged, batchReader } from '../request/batch-files.ts'
import { parse } from '../request/input.ts'
import { readUploadForm } from '../request/upload-form.ts'
import { written, type Handlers } from '../route.ts'
import { paginationWithNext } from '../views/pagination.ts'
import { batchAtWork, batchCreation, batchResults, batchView, mediaTypeCounts } from '../views/batches.ts'

type BatchHandlers = Handlers<
  'createBatch' | 'listBatches' | 'readBatch' | 'readBatchResults' | 'cancelBatch'
>

const RELATED = Object.fromEntries(
  Object.entries({
    batch: routes.readBatch,
    results: routes.readBatchResults,
    cancel: routes.cancelBatch,
    batches: routes.listBatches,
    media: routes.readMedia,
  }).map(([name, { path }]) => [name, path]),
)

/** `givingUp`: ends the receiving of files, with its reason. */
export function batchHandlers(
  {
    application: { batches, ingest },
    staging,
    clock,
    bodyTimeoutMs: idleMs = BODY_TIMEOUT_MS,
  }: HttpOptionsOf<'batches' | 'ingest'>,
  givingUp: AbortSignal,
): BatchHandlers {
  /** The form, its files staged. Nothing stays staged when it throws. */
  async function receive(
    ctx: EdgeContext,
    received: (bytes: number) => Promise<void>,
  ): Promise<Omit<CreateBatch, 'idempotencyKey'>> {
    const route = routes.createBatch
    const reader = batchReader(ingest, staging, { idleMs, signal: givingUp }, received)
    const { files, fields } = await readUploadForm(ctx.req, ctx.res, route, reader)
    try {
      const form = parse(route, route.form, fields) as z.output<typeof route.form>
      const options = form.batch_options ?? {}
      return {
        files: allStaged(files),
        collection: form.collection_id ?? options.collection_id ?? null,
        overwrite: form.force_overwrite ?? options.force_overwrite ?? false,
        name: options.batch_name ?? null,
      }
    } catch (error) {
      await Promise.all(files.map((file) => reader.release(file.staged)))
      throw error
    }
  }

  return {
    async createBatch({ ctx }) {
      const context = requestContext(ctx.state.exchange)
      const key = idempotencyKey(ctx, routes.createBatch)
      const room = batches.receive(context)
      try {
        const command = await receive(ctx, (bytes) => room.add(bytes))
        const created = written(
          ctx,
          await batches.create(context, {
            ...command,
            ...(key !== undefined && { idempotencyKey: key }),
          }),
        )
        if (created.replayed) ctx.set('Idempotency-Replayed', 'true')
        return {
          message: `The batch was created: it processes ${counted(created.intent.jobs.length, 'file')} from now on.`,
          data: batchCreation(created),
          metadata: {
            force_overwrite: created.intent.overwrite,
            media_types: mediaTypeCounts(created.intent.jobs),
            collection_id: created.collection,
            // The batch has the id of the request that made it.
            request_id: requestIds.format(created.batchId),
          },
          timestamp: isoTime(created.intent.at),
        }
      } finally {
        room.end()
      }
    },

    async listBatches({ ctx, query: { page, page_size: pageSize, status } }) {
      const { batches: listed, total } = await batches.list(requestContext(ctx.state.exchange), {
        page,
        pageSize,
        ...(status && { status }),
      })
      return {
        message: `${counted(total, 'batch', 'batches')}.`,
        data: {
          batches: listed.map(batchView),
          pagination: paginationWithNext({ page, pageSize }, total),
        },
        timestamp: isoTime(clock.now()),
      }
    },

    async readBatch({ ctx, params }) {
      const { exchange } = ctx.state
      const batch = await batches.read(requestContext(exchange), params.batch_id)
      return {
        message: `The batch: ${batch.status}.`,
        data: batchAtWork(batch),
        metadata: { request_id: requestIds.format(exchange.requestId) },
        timestamp: isoTime(clock.now()),
      }
    },

    async readBatchResults({ ctx, params, query }) {
      const { exchange } = ctx.state
      const results = await batches.results(requestContext(exchange), params.batch_id)
      return {
        message: `The batch: ${results.batch.status}.`,
        data: batchResults(results, query),
        metadata: { request_id: requestIds.format(exchange.requestId), related_endpoints: RELATED },
      }
    },

    async cancelBatch({ ctx, params }) {
      const {
        batchId: id,
        previous,
        current,
        at,
      } = written(ctx, await batches.cancel(requestContext(ctx.state.exchange), params.batch_id))
      return {
        message: previous === current ? `The batch was ${current} already.` : 'The batch was cancelled.',
        data: {
          batch_id: batchId.format(id),
          previous_state: previous,
          current_state: current,
          timestamp: isoTime(at),
        },
      }
    },
  }
}
