import type { IncomingMessage, ServerResponse } from 'node:http'
import { Router, type Layer } from '@koa/router'
import { EngineUnavailable } from '@medialog/application'
import { routes, type RouteContract } from '@medialog/contract/http'
import { requestId as requestIds } from '@medialog/kernel'
import Koa from 'koa'
import { answering } from './answers/answering.ts'
import { methodNotAllowed, Refusal } from './answers/refusal.ts'
import { CONSOLE_PATH, consolePages, isOfConsole } from './console.ts'
import { crossOrigin } from './cross-origin.ts'
import type { EdgeContext, EdgeState } from './exchange.ts'
import type { HttpOptions } from './options.ts'
import { createPositions } from './position.ts'
import { ClientGone } from './request/client-gone.ts'
import { serve, type AnyHandler, type Handlers } from './route.ts'
import { accountHandlers } from './routes/account.ts'
import { adminHandlers } from './routes/admin.ts'
import { aiHandlers } from './routes/ai.ts'
import { auditHandlers } from './routes/audit.ts'
import { batchHandlers } from './routes/batches.ts'
import { checkpointHandlers } from './routes/checkpoints.ts'
import { collectionHandlers } from './routes/collections.ts'
import { eventHandlers } from './routes/events.ts'
import { historyHandlers } from './routes/history.ts'
import { erasureHandlers } from './routes/erasures.ts'
import { mediaHandlers } from './routes/media.ts'
import { embeddingHandlers } from './routes/embeddings.ts'
import { operationHandlers } from './routes/operations.ts'
import { agentEndpoint, MCP_PATH } from './mcp.ts'
import { publicHandlers } from './routes/public.ts'
import { searchHandlers } from './routes/search.ts'
import { webhookHandlers } from './routes/webhooks.ts'

export interface HttpApp {
  /** Answers one request: for startHttpServer, or any server of Node's. */
  callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>
  /** Ends the event streams that are open; all else is answered as ever. */
  endStreams(): void
  /** Gives up the files that are still being received or processed: each is refunded and answered with 503. */
  giveUpFiles(): void
}

/** The whole HTTP side of the service over an application. */
export function createHttpApp(options: HttpOptions): HttpApp {
  const { servesAdmin = () => true } = options
  const ending = new AbortController()
  const givingUp = new AbortController()
  const positions = createPositions(options.positionSecrets)
  const handlers: Handlers = {
    ...publicHandlers(options),
    ...mediaHandlers(options, givingUp.signal),
    ...erasureHandlers(options),
    ...collectionHandlers(options),
    ...batchHandlers(options, givingUp.signal),
    ...searchHandlers(options),
    ...aiHandlers(options, givingUp.signal),
    ...accountHandlers(options),
    ...auditHandlers(options),
    ...webhookHandlers(options, positions),
    ...historyHandlers(options),
    ...adminHandlers(options),
    ...embeddingHandlers(options),
    ...checkpointHandlers(options),
    ...eventHandlers(options, positions, ending.signal),
    ...operationHandlers(options, ending.signal),
  }
  // The router tries its paths one by one, so each part of the service has one of its own.
  const routers = new Map<string, Router<EdgeState>>()
  // Of two paths that match, the one with fewer parameters answers: it comes first.
  const bySpecificity = Object.values<RouteContract>(routes).toSorted(
    (a, b) => parametersIn(a) - parametersIn(b),
  )
  for (const route of bySpecificity) {
    const handler = handlers[route.operationId as keyof Handlers] as AnyHandler
    const part = partOf(route.path)
    const router = routers.get(part) ?? new Router({ sensitive: true, strict: true })
    routers.set(part, router)
    router[route.method](route.path.replaceAll(PARAMETER, ':$1'), serve(route, handler, options, positions))
  }
  const answerAgent = agentEndpoint(options, ending.signal)
  const answerConsole = consolePages(options)
  const app = new Koa<EdgeState>()
  // An error after the answer began cannot be sent to the client.
  app.on('error', (error: Error, ctx?: EdgeContext) => {
    const request_id = ctx && requestIds.format(ctx.state.exchange.requestId)
    if (isOfReader(error)) options.logger.info({ request_id }, 'the caller left in the middle of the answer')
    else options.logger.warn({ request_id, err: error }, 'the answer was not taken')
  })
  if (options.corsOrigins?.length) app.use(crossOrigin(options.corsOrigins))
  app.use(answering(options, positions))
  // Not by the routers' own middleware: for each request it composes a chain, of one here, which takes as long as to
  // authenticate.
  app.use(async (ctx, next) => {
    const { path, method } = ctx
    if (path.startsWith('/admin/') && !servesAdmin(ctx.req.socket.localPort)) throw notRouted([])
    if (path === MCP_PATH) return answerAgent(ctx)
    if (isOfConsole(path)) return answerConsole(ctx)
    const matched = routers.get(partOf(path))?.match(path, method)
    const layer = matched?.pathAndMethod[0]
    if (!layer) {
      const page = method === 'GET' || method === 'HEAD' ? PAGES.get(path) : undefined
      if (page === undefined) throw notRouted(matched?.path ?? [])
      return ctx.redirect(page)
    }
    ctx['params'] = layer.params(path, layer.captures(path))
    await layer.stack[0]!(ctx as never, next)
  })
  return {
    callback: () => app.callback(),
    endStreams: () => ending.abort(),
    giveUpFiles: () =>
      givingUp.abort(new EngineUnavailable('http', 'The service is stopping: send the file again.')),
  }
}

/** Where people who type an address want to go. */
const PAGES = new Map([
  ['/', CONSOLE_PATH],
  ['/docs/', '/docs'],
])

const PARAMETER = /\{(\w+)\}/g
const parametersIn = ({ path }: RouteContract): number => path.match(PARAMETER)?.length ?? 0

/** For a path that these match, by other methods than the one that was used. */
function notRouted(layers: readonly Layer<EdgeState>[]): Refusal {
  const methods = layers.flatMap((layer) => layer.methods)
  if (methods.length === 0) return new Refusal('NOT_FOUND', 'There is no such path.')
  return methodNotAllowed([...new Set(methods)].sort().join(', '))
}

/** The path's first two segments: none of them is a parameter. */
function partOf(path: string): string {
  const first = path.indexOf('/', 1)
  const second = first < 0 ? -1 : path.indexOf('/', first + 1)
  return second < 0 ? path : path.slice(0, second)
}

/** Connections that end under an answer: no fault of the service. */
const READER_GONE = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'ECONNRESET', 'EPIPE'])

const isOfReader = (error: Error): boolean =>
  error instanceof ClientGone || ('code' in error && READER_GONE.has(String(error.code)))
