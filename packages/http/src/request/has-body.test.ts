import { routes, type RouteContract } from '@medialog/contract/http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KEY, OPERATOR_TOKEN, startEdge, type Edge } from '../testing/edge.ts'
import { RawClient } from '../testing/raw.ts'

let edge: Edge
beforeAll(async () => {
  edge = await startEdge()
})
afterAll(() => edge[Symbol.asyncDispose]())

const written = Object.values<RouteContract>(routes).filter(({ method }) => method !== 'get')
const TYPES = ['application/json', 'multipart/form-data; boundary=b', 'text/plain']

/** Without what differs from one request to the next. */
async function answerTo({ method, path }: RouteContract, headers: string): Promise<unknown> {
  const client = new RawClient(edge.server.address.port)
  const who = `Host: x\r\nX-Api-Key: ${KEY}\r\nX-Operator-Token: ${OPERATOR_TOKEN}\r\n`
  const target = path.replaceAll(/\{\w+\}/g, 'x')
  client.write(`${method.toUpperCase()} ${target} HTTP/1.1\r\n${who}${headers}\r\n`)
  const { status, body } = await client.answer()
  client.close()
  return { status, body: body.replaceAll(/"(?:req_|\d{4}-)[^"]*"|"\w+_ms":\d+/g, '""') }
}

describe('a request with neither Content-Length nor Transfer-Encoding', () => {
  it.each(written.flatMap((route) => TYPES.map((type) => [route.operationId, type, route] as const)))(
    'to %s as %s is answered as one whose body has no bytes, and at once',
    async (_id, type, route) => {
      const typed = `Content-Type: ${type}\r\n`
      const answer = await answerTo(route, typed)
      expect(answer).toEqual(await answerTo(route, `${typed}Content-Length: 0\r\n`))
      expect(answer).not.toMatchObject({ status: 408 })
    },
  )
})
