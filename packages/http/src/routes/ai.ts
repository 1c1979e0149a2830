import type { AskQuestion } from '@medialog/application'
import { routes } from '@medialog/contract/http'
import { requestId as requestIds } from '@medialog/kernel'
import { idempotencyKey } from '../admission.ts'
import { createEventStream } from '../answers/event-stream.ts'
import { failure, refusalOf } from '../answers/refusal.ts'
import { requestContext, type EdgeContext } from '../exchange.ts'
import { BODY_TIMEOUT_MS, type HttpOptionsOf } from '../options.ts'
import { readFileForm } from '../request/file-form.ts'
import { written, type Handlers } from '../route.ts'
import { answerContext, billingOf, fileAnalysis, sourcesOf } from '../views/ai.ts'

/** A question or instructions may be a whole text. */
const MOST_FIELD_BYTES = 256 * 1024

/** `givingUp`: ends the receiving of files, with its reason. */
export function aiHandlers(
  options: HttpOptionsOf<'ask' | 'ingest'>,
  givingUp: AbortSignal,
): Handlers<'ask' | 'analyzeFile'> {
  const { ask, ingest } = options.application
  return {
    async ask({ ctx, body }) {
      const key = idempotencyKey(ctx, routes.ask)
      const command: AskQuestion = {
        query: body.query,
        mediaId: body.media_id ?? null,
        ...(body.collections !== undefined &&
          body.collections !== 'all' && { collections: body.collections }),
        systemPrompt: body.system_prompt ?? null,
        context: body.context ?? null,
        temperature: body.temperature,
        maxTokens: body.max_tokens,
        ...(key !== undefined && { idempotencyKey: key }),
      }
      if (body.stream) {
        await streamAnswer(ctx, options, command)
        return undefined
      }
      const answered = written(ctx, await ask.ask(requestContext(ctx.state.exchange), command))
      sayReplayed(ctx, answered.replayed)
      const { metadata, ...context } = answerContext(command, answered)
      return {
        message: answered.answered ? 'The question was answered.' : 'The material holds no answer.',
        data: {
          response: answered.text,
          sources: sourcesOf(answered),
          billing: billingOf(answered),
          ...context,
        },
        metadata,
      }
    },

    async analyzeFile({ ctx }) {
      const route = routes.analyzeFile
      const key = idempotencyKey(ctx, route)
      const context = requestContext(ctx.state.exchange)
      using arrival = await ingest.receiveFile(context, 'analysis', key)
      const { filename, staged, form } = await readFileForm(ctx, route, options, {
        maxBytes: ({ maxBytes, maxAnalysisBytes }) => maxAnalysisBytes ?? maxBytes,
        maxFieldBytes: MOST_FIELD_BYTES,
        received: arrival.add,
        signal: givingUp,
      })
      const command = {
        staged,
        filename,
        query: form.query,
        systemPrompt: form.system_prompt ?? null,
        responseFormat: form.response_format,
        mediaType: form.media_type ?? null,
        ...(key !== undefined && { idempotencyKey: key }),
      }
      const file = written(ctx, await ask.analyzeFile(context, command))
      sayReplayed(ctx, file.replayed)
      return {
        message: 'The file was analysed; it was not kept.',
        data: fileAnalysis(command, file),
        metadata: {
          request_id: requestIds.format(file.requestId),
          processing_time_ms: file.milliseconds,
          summary: file.analysis.summary,
        },
      }
    },
  }
}

function sayReplayed(ctx: EdgeContext, replayed: boolean): void {
  if (replayed) ctx.set('Idempotency-Replayed', 'true')
}

/**
 * Answers with events from the first piece of the answer on; what is refused before is a refusal like any other. A caller
 * who leaves ends the work.
 */
async function streamAnswer(
  ctx: EdgeContext,
  { application, logger, bodyTimeoutMs: idleMs = BODY_TIMEOUT_MS }: HttpOptionsOf<'ask'>,
  command: AskQuestion,
): Promise<void> {
  const { exchange } = ctx.state
  const events = createEventStream(ctx, { idleMs })
  const begun = Promise.withResolvers<void>()
  let isOpen = false
  const open = (replayed: boolean): void => {
    if (isOpen) return
    isOpen = true
    sayReplayed(ctx, replayed)
    events.open()
    begun.resolve()
  }
  const work = async (): Promise<void> => {
    const answered = await application.ask.ask(requestContext(exchange), command, {
      signal: events.signal,
      async delta(text, { replayed }) {
        open(replayed)
        await events.send('delta', { text })
      },
    })
    open(answered.replayed)
    await events.send('sources', { sources: sourcesOf(answered) })
    await events.send('billing', billingOf(answered))
    await events.send('done', answerContext(command, answered))
  }
  const fail = async (error: unknown): Promise<void> => {
    if (!isOpen) {
      begun.reject(error)
      return
    }
    const { aborted, reason } = events.signal
    if (aborted && error === reason) return
    const request_id = requestIds.format(exchange.requestId)
    logger.error({ request_id, err: error }, 'an answer failed in the middle')
    if (aborted) return
    const { message, code, details } = refusalOf(error) ?? failure(routes.ask)
    await events.send('error', { message, code, details: { ...details, request_id } })
  }
  work()
    .catch(fail)
    // The client left before the error was sent, which has been logged.
    .catch(() => undefined)
    .finally(() => events.end())
  await begun.promise
}
