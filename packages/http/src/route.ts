import type { OperationId, RouteContract, Routes } from '@medialog/contract/http'
import type { LogPosition } from '@medialog/kernel'
import type { z } from 'zod'
import { admission, positionWait } from './admission.ts'
import { JSON_TYPE, jsonOf, type MaybeWritten } from './answers/json.ts'
import type { EdgeContext } from './exchange.ts'
import { BODY_TIMEOUT_MS, type HttpOptions } from './options.ts'
import type { Positions } from './position.ts'
import { inputReader, type Input, type UntypedInput } from './request/input.ts'

/** A request that passed every check which needs no look at what is stored. */
export interface Call<R extends RouteContract> extends Input<R> {
  ctx: EdgeContext
}

type Body<R extends RouteContract> = R['answer'] extends z.ZodType
  ? MaybeWritten<Omit<z.input<R['answer']>, 'success'>>
  : never

/** Translates a request for the application and its answer back; undefined when it set the answer itself. */
export type Handler<R extends RouteContract> = (call: Call<R>) => Promise<Body<R> | undefined>

/** A handler as the router sees it. */
export type AnyHandler = (call: UntypedInput & { ctx: EdgeContext }) => Promise<object | undefined>
export type Handlers<Id extends OperationId = OperationId> = { [K in Id]: Handler<Routes[K]> }

/** All of one route, in the order in which a request is refused: key, rate, capability, shape, then the work. */
export function serve(
  route: RouteContract,
  handler: AnyHandler,
  options: HttpOptions,
  positions: Positions,
): (ctx: EdgeContext) => Promise<void> {
  const admit = admission(route, options)
  const read = inputReader(route, options.bodyTimeoutMs ?? BODY_TIMEOUT_MS)
  const wait = positionWait(route, options, positions)
  return async (ctx) => {
    ctx.state.exchange.route = route
    await admit(ctx)
    const input = await read(ctx)
    await wait(ctx)
    const answer = await handler({ ...input, ctx })
    if (answer === undefined) return
    // Koa would look the type up for every object, which takes longer than writing a small one.
    ctx.set('Content-Type', JSON_TYPE)
    ctx.body = jsonOf({ success: true, ...answer })
  }
}

/** Takes a command's position out of its outcome: the answer will carry it as X-Position. */
export function written<T extends { position: LogPosition }>(ctx: EdgeContext, outcome: T): T {
  ctx.state.exchange.position = outcome.position
  return outcome
}
