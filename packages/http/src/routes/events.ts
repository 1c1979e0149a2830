import { routes } from '@medialog/contract/http'
import { BEGINNING, type LogPosition } from '@medialog/kernel'
import { apiKeyOf } from '../admission.ts'
import { createEventStream } from '../answers/event-stream.ts'
import { requestContext, type EdgeContext } from '../exchange.ts'
import { beginning, eventTexts, idText } from '../feed/event-text.ts'
import { endText, reasonOf, type EndReason } from '../feed/feed-end.ts'
import { Followers } from '../feed/followers.ts'
import { StillWelcome } from '../feed/still-welcome.ts'
import { BODY_TIMEOUT_MS, type HttpOptionsOf } from '../options.ts'
import { ABOUT_OLD_POSITIONS, type Positions } from '../position.ts'
import { invalid } from '../request/issues.ts'
import type { Handlers } from '../route.ts'

/** On an idle feed its position is sent: often enough to resume from, and without revealing how much others do. */
const POSITION_EVERY_MS = 5_000
/** A reader that takes nothing does not hold up a stopping server for longer. */
const STOPPING_MS = 1_000

/** `ending` ends the feeds that are open. */
export function eventHandlers(
  {
    application,
    followerLimits,
    logger,
    metrics,
    bodyTimeoutMs: idleMs = BODY_TIMEOUT_MS,
  }: HttpOptionsOf<'accounts' | 'feed' | 'status'>,
  positions: Positions,
  ending: AbortSignal,
): Handlers<'followEvents'> {
  const followers = new Followers(followerLimits)
  return {
    async followEvents({ ctx, query: { after, types } }) {
      const principal = ctx.state.exchange.principal!
      const { accountId } = principal
      const asked = askedPosition(ctx, after, (token) => positions.open(accountId, token))
      const leave = followers.enter(principal)
      const stream = createEventStream(ctx, { idleMs, farewell: endText('too_slow') })
      stream.signal.addEventListener('abort', leave)
      const signal = AbortSignal.any([stream.signal, ending])
      const query = { after: asked, ...(types && { types }) }
      const { from, events } = await application.feed.follow(
        requestContext(ctx.state.exchange),
        query,
        signal,
      )
      const seal = (position: LogPosition): string => positions.seal(accountId, position)
      const welcome = new StillWelcome(application, apiKeyOf(ctx), principal)

      const tell = async (): Promise<EndReason> => {
        let toldAt = performance.now()
        await stream.write(beginning(from, seal))
        for await (const batch of events) {
          const over = await welcome.over(batch)
          if (over) return over
          const now = performance.now()
          if (batch.events.length > 0) await stream.write(eventTexts(batch, seal))
          else if (now - toldAt >= POSITION_EVERY_MS) await stream.write(idText(batch.position, seal))
          else continue
          toldAt = now
          metrics?.eventsTold(batch.events.length)
        }
        return 'stopping'
      }
      const fail = (error: unknown): EndReason => {
        if (stream.signal.aborted) return 'too_slow'
        if (ending.aborted) return 'stopping'
        logger.error({ account_id: accountId, err: error }, 'following events failed')
        return reasonOf(error)
      }
      const stop = (): void => void setTimeout(() => ctx.res.destroy(), STOPPING_MS).unref()
      ending.addEventListener('abort', stop)
      stream.signal.addEventListener('abort', () => ending.removeEventListener('abort', stop))
      stream.open()
      void tell()
        .catch(fail)
        .then((reason) => stream.end(endText(reason)))
      return undefined
    },
  }
}

/** Null: from now on. */
function askedPosition(
  ctx: EdgeContext,
  after: string | undefined,
  open: (token: string) => LogPosition | null,
): LogPosition | null {
  const lastId = ctx.get('last-event-id')
  const token = lastId || after
  if (token === undefined) return null
  const position = token === 'beginning' ? BEGINNING : open(token)
  if (position !== null) return position
  throw invalid(
    routes.followEvents,
    lastId ? 'Last-Event-ID' : 'after',
    `must be the id of an event, or the X-Position of an answer, to this account, or beginning. ${ABOUT_OLD_POSITIONS}`,
  )
}
