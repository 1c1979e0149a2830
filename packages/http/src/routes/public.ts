import type { RateLimiter } from '@medialog/application'
import { asyncApiDocument } from '@medialog/contract/events/asyncapi'
import { openApiDocument } from '@medialog/contract/http'
import { tokenCheck } from '../admission.ts'
import { Refusal, unavailable } from '../answers/refusal.ts'
import type { EdgeContext } from '../exchange.ts'
import type { HttpOptionsOf } from '../options.ts'
import { referencePage } from '../reference/page.ts'
import type { Handlers } from '../route.ts'

const RETRY_READY_SECONDS = 5

type PublicHandlers = Handlers<'healthz' | 'readyz' | 'metrics' | 'openapi' | 'asyncapi' | 'docs'>

export function publicHandlers(options: HttpOptionsOf<'status'>): PublicHandlers {
  const { application, release, metrics, metricsToken, rateLimiter } = options
  const described = whenFirstAsked(() => {
    const openapi = openApiDocument()
    return { json: JSON.stringify(openapi), page: referencePage(openapi) }
  })
  const events = whenFirstAsked(() => JSON.stringify(asyncApiDocument()))
  const checkToken = metricsToken === undefined ? null : metricsCheck(metricsToken, rateLimiter)
  return {
    healthz: async () => ({ message: 'Alive.', data: { status: 'ok', software_version: release.version } }),

    async readyz() {
      const { status, components } = await application.status.health()
      if (status === 'critical') throw unavailable(RETRY_READY_SECONDS)
      return { message: 'Ready.', data: { status, components: { ...components } } }
    },

    async metrics({ ctx }) {
      if (!metrics || !checkToken) throw new Refusal('NOT_FOUND', 'There is no such path.')
      await checkToken(ctx)
      const { contentType, body } = await metrics.render()
      ctx.set('Cache-Control', 'no-store')
      ctx.set('Content-Type', contentType)
      ctx.body = body
      return undefined
    },

    async openapi({ ctx }) {
      ctx.type = 'application/json'
      ctx.body = described().json
      return undefined
    },

    async asyncapi({ ctx }) {
      ctx.type = 'application/json'
      ctx.body = events()
      return undefined
    },

    async docs({ ctx }) {
      const { page } = described()
      ctx.set('Content-Security-Policy', page.contentSecurityPolicy)
      ctx.set('Referrer-Policy', 'no-referrer')
      ctx.type = 'text/html'
      ctx.body = page.html
      return undefined
    },
  }
}

/** Half a second of work, a fifth of a start, that most processes are never asked for. */
function whenFirstAsked<T>(make: () => T): () => T {
  let made: { value: T } | null = null
  return () => (made ??= { value: make() }).value
}

function metricsCheck(token: string, rateLimiter: RateLimiter): (ctx: EdgeContext) => Promise<void> {
  const isToken = tokenCheck(`Bearer ${token}`, rateLimiter)
  return async (ctx) => {
    if (!(await isToken(ctx, ctx.req.headers.authorization)))
      throw new Refusal(
        'INVALID_OPERATOR_TOKEN',
        'The metrics need their token: Authorization: Bearer <token>.',
        {},
        { 'WWW-Authenticate': 'Bearer' },
      )
  }
}
