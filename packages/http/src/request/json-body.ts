import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RouteContract } from '@medialog/contract/http'
import { Refusal } from '../answers/refusal.ts'
import type { EdgeContext } from '../exchange.ts'
import { BodyBudget } from './body-budget.ts'
import { ClientGone } from './client-gone.ts'
import { inviteBody } from './expectation.ts'
import { hasBody } from './has-body.ts'
import { invalid } from './issues.ts'
import { parseJson, UnusableJson } from './json-text.ts'

/** Largest JSON body in bytes, where the route does not say. */
export const MOST_JSON_BYTES = 1024 * 1024
const JSON_TYPE = /^application\/json(?:\s*;\s*charset="?utf-?8"?)?\s*$/i

/** Of this process. */
const unfinished = new BodyBudget()

/** The request's JSON body. @throws Refusal in the route's own code, ClientGone */
export async function readJson(
  { req: request, res: response, state }: EdgeContext,
  route: RouteContract,
  timeoutMs: number,
): Promise<unknown> {
  const { headers } = request
  const caller = state.exchange.principal?.accountId ?? ''
  const announced = hasBody(request) && headers['content-length'] !== '0'
  if (!announced && route.bodyOptional) return {}
  if (!JSON_TYPE.test(headers['content-type'] ?? ''))
    throw invalid(route, 'Content-Type', 'must be application/json in UTF-8')
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
    throw invalid(route, 'Content-Encoding', 'must be absent: compressed requests are not read')
  const bytes = announced ? await readBytes(request, response, route, timeoutMs, caller) : Buffer.alloc(0)
  if (bytes.length === 0 && route.bodyOptional) return {}
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes), route)
  } catch (error) {
    if (error instanceof UnusableJson) throw invalid(route, error.parameter, error.message)
    throw invalid(route, 'body', 'must be UTF-8')
  }
}

async function readBytes(
  request: IncomingMessage,
  response: ServerResponse,
  route: RouteContract,
  timeoutMs: number,
  caller: string,
): Promise<Buffer> {
  const { bytes: most, code } = route.bodyLimit ?? { bytes: MOST_JSON_BYTES, code: route.invalid }
  const tooLarge = (): Refusal => {
    const { message, details } = invalid(route, 'body', `must have at most ${most} bytes`)
    return new Refusal(code, message, { ...details })
  }
  if (Number(request.headers['content-length'] ?? 0) > most) throw tooLarge()
  inviteBody(request, response)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const timer = setTimeout(() => end(bodyTimeout()), timeoutMs)
    const arriving = unfinished.begin(caller, end)
    function end(error?: Error): void {
      clearTimeout(timer)
      arriving.end()
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose)
      if (error) {
        chunks.length = 0
        request.pause()
        reject(error)
      } else resolve(Buffer.concat(chunks, size))
    }
    const onEnd = (): void => end()
    const onClose = (): void => end(new ClientGone())
    function onData(chunk: Buffer): void {
      size += chunk.length
      if (size > most) return end(tooLarge())
      chunks.push(chunk)
      arriving.add(chunk.length)
    }
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose)
  })
}

export const bodyTimeout = (): Refusal =>
  new Refusal('REQUEST_TIMEOUT', 'The body of the request stopped arriving.', {}, { Connection: 'close' })
