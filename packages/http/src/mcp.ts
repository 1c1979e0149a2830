import { Readable } from 'node:stream'
import { InvalidApiKey } from '@medialog/application'
import { createClient } from '@medialog/client'
import { route } from '@medialog/contract/http/route'
import type { AgentEndpoint } from '@medialog/mcp/http'
import { admission, apiKeyOf } from './admission.ts'
import { invalidKey, methodNotAllowed } from './answers/refusal.ts'
import { boundUrl } from './bound-url.ts'
import type { EdgeContext } from './exchange.ts'
import { BODY_TIMEOUT_MS, type HttpOptions } from './options.ts'
import { invalid } from './request/issues.ts'
import { readJson } from './request/json-body.ts'

export const MCP_PATH = '/mcp'

/** Not in the reference: what goes over it is described by the Model Context Protocol. */
const ROUTE = route({
  operationId: 'mcp',
  method: 'post',
  path: MCP_PATH,
  tag: 'Service',
  summary: 'Tools for agents',
  access: 'read',
  bodyLimit: { bytes: 4 * 1024 * 1024, code: 'VALIDATION_ERROR' },
  answer: { contentType: 'application/json', description: 'JSON-RPC.' },
})

/**
 * The Model Context Protocol over HTTP. A tool asks this process as any caller would, with the caller's own key: so each of
 * its calls is admitted, limited, charged and logged like the same call of anybody else.
 */
export function agentEndpoint(
  options: HttpOptions,
  ending: AbortSignal,
): (ctx: EdgeContext) => Promise<void> {
  const admit = admission(ROUTE, options)
  const { release, logger, bodyTimeoutMs = BODY_TIMEOUT_MS } = options
  // Loaded with the first agent: it takes a tenth of a second that no start should wait for.
  let loading: Promise<AgentEndpoint> | undefined
  const load = async (): Promise<AgentEndpoint> => {
    const { createAgentEndpoint } = await import('@medialog/mcp/http')
    return createAgentEndpoint(release.version, {
      refused: ({ message }) =>
        logger.info({ reason: message.slice(0, 200) }, 'a message of an agent was refused'),
      fault: (error) => logger.error({ err: error }, 'a call of an agent failed'),
    })
  }
  return async (ctx) => {
    ctx.state.exchange.route = ROUTE
    if (ctx.method !== 'POST') throw methodNotAllowed('POST')
    if (!mayAsk(ctx.get('Origin'), options.corsOrigins)) {
      ctx.status = 403
      ctx.body = { jsonrpc: '2.0', id: null, error: { code: FORBIDDEN, message: OTHER_PAGE } }
      return
    }
    await admit(ctx).catch((error: unknown) => {
      throw error instanceof InvalidApiKey ? invalidKey(NO_KEY) : error
    })
    const { keyId, capabilities } = ctx.state.exchange.principal!
    const message = await readJson(ctx, ROUTE, bodyTimeoutMs)
    // Thousands in one request would be worked through before anybody else's.
    if (Array.isArray(message))
      throw invalid(ROUTE, 'body', 'must be one message: batches are not part of the protocol any more')
    const { localAddress: address = '', localPort: port = 0, localFamily: family = 'IPv4' } = ctx.req.socket
    const client = createClient({
      url: boundUrl({ address, port, family }),
      apiKey: apiKeyOf(ctx)!,
      userAgent: 'medialog-mcp',
      // An agent decides itself whether it waits and tries again.
      attempts: 1,
    })
    const left = new AbortController()
    const leave = (): void => left.abort()
    ending.addEventListener('abort', leave)
    ctx.res.once('close', () => {
      ending.removeEventListener('abort', leave)
      leave()
      client.close()
    })
    const endpoint = await (loading ??= load())
    const request = new Request(new URL(MCP_PATH, client.url), {
      method: 'POST',
      headers: headersOf(ctx),
      signal: left.signal,
    })
    const response = await endpoint.answer(request, message, { client, keyId, capabilities })
    for (const [name, value] of response.headers) ctx.set(name, value)
    ctx.body = response.body ? Readable.fromWeb(response.body) : null
    // Koa takes an empty body for 204.
    ctx.status = response.status
  }
}

const NO_KEY = 'The API key is missing or not valid. Send it as Authorization: Bearer mlk_…'
const FORBIDDEN = -32_000
const OTHER_PAGE = 'Pages of this origin may not ask: MEDIALOG_CORS_ORIGINS names those that may.'

/** As the protocol has it: of the pages that a browser shows those of this machine, and those that are named. */
function mayAsk(origin: string, named: readonly string[] = []): boolean {
  if (origin === '' || named.includes('*') || named.includes(origin)) return true
  return LOOPBACK.has(URL.parse(origin)?.hostname ?? '')
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

function headersOf({ req }: EdgeContext): Headers {
  const headers = new Headers()
  for (const [name, values] of Object.entries(req.headersDistinct))
    for (const value of values ?? []) headers.append(name, value)
  return headers
}
