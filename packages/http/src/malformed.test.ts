import { ERROR_BODIES, routes, type RouteContract } from '@medialog/contract/http'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { KEY, OPERATOR_TOKEN, startEdge, type Edge } from './testing/edge.ts'
import { ACCOUNT, catalogItem, idOfItem } from './testing/fixtures.ts'

let edge: Edge
beforeAll(async () => {
  edge = await startEdge()
})
afterAll(() => edge[Symbol.asyncDispose]())

const RUNS = 75
const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(
    '',
    '0',
    '-1',
    '1e9',
    'NaN',
    'true',
    'null',
    'all',
    'default',
    '__proto__',
    'constructor',
    '%',
    '%00',
    '../..',
    '\0',
    'vec-',
    'doc_',
    ACCOUNT,
    idOfItem(catalogItem(1)),
    `vec-${catalogItem(1).mediaId}`,
    '2026-11-20',
    'x'.repeat(2000),
  ),
)
const name = fc.constantFrom(
  'page',
  'page_size',
  'media_type',
  'collection',
  'include_vectors',
  'include_chunks',
  'start_time',
  'end_time',
  'group_by',
  'detailed',
  'as_of',
  'query',
  'type',
  'collections',
  'max_results',
  'min_score',
  'config',
  'filters',
  'modality',
  'media_id',
  'temperature',
  'max_tokens',
  'context',
  'system_prompt',
  'response_format',
  'items',
  'media_ids',
  'reason',
  'name',
  'tier',
  'credit',
  'amount',
  'state',
  'label',
  'capabilities',
  'kind',
  '__proto__',
  'hasOwnProperty',
  'x',
)
const json = fc.oneof(
  fc
    .dictionary(name, fc.oneof(fc.jsonValue({ maxDepth: 4 }), nasty, fc.array(nasty, { maxLength: 4 })), {
      maxKeys: 6,
    })
    .map((value) => JSON.stringify(value)),
  fc.json({ maxDepth: 4 }),
  nasty,
)
const body = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('application/json'), text: json }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constantFrom(
        'text/plain',
        'multipart/form-data; boundary=b',
        'multipart/form-data',
        'application/json; charset=latin1',
      ),
      text: fc.oneof(
        json,
        nasty.map((text) => `--b\r\nContent-Disposition: form-data; name="${text}"\r\n\r\n${text}\r\n--b--`),
      ),
    }),
  },
)
const request = fc.record({
  ids: fc.array(nasty, { minLength: 2, maxLength: 2 }),
  query: fc.oneof(
    { weight: 2, arbitrary: fc.constant('') },
    {
      weight: 3,
      arbitrary: fc
        .array(fc.tuple(name, nasty), { maxLength: 3 })
        .map((pairs) =>
          pairs.map(([key, value]) => `${key}=${encodeURIComponent(value.toWellFormed())}`).join('&'),
        ),
    },
    { weight: 1, arbitrary: fc.constantFrom('%', 'a=%E0%A4%A', '&&&', '=', 'page=1&page=1') },
  ),
  body,
  headers: fc.record(
    {
      'x-min-position': fc.constantFrom('x', 'A'.repeat(48)),
      'idempotency-key': fc.constantFrom('a', 'a b'),
    },
    { requiredKeys: [] },
  ),
})

const encode = (id: string): string => encodeURIComponent(id.toWellFormed()).replaceAll('%25', '%')

/** The answer to a success by its own schema, else the refusal by the schema of its shape. */
const answerSchema = (route: RouteContract, status: number): z.ZodType => {
  if (status === 200) return route.answer as z.ZodType
  return ERROR_BODIES[route.shape]
}

describe('malformed requests', () => {
  const fuzzed = Object.values<RouteContract>(routes).filter(({ access }) => access !== 'public')

  it.each(fuzzed.map((route) => [route.operationId, route] as const))(
    '%s always answers in a documented shape, and never fails inside',
    async (_id, route) => {
      const withBody = route.method !== 'get'
      await fc.assert(
        fc.asyncProperty(request, async ({ ids, query, body, headers }) => {
          let index = 0
          const path = route.path.replaceAll(/\{\w+\}/g, () => encode(ids[index++]!) || 'x')
          // Dots lead to another path, in the client already.
          fc.pre(new URL(path, edge.server.url).pathname === path)
          const response = await fetch(`${edge.server.url}${path}${query && `?${query}`}`, {
            method: route.method.toUpperCase(),
            headers: {
              'x-api-key': KEY,
              'x-operator-token': OPERATOR_TOKEN,
              ...headers,
              ...(withBody && { 'content-type': body.type }),
            },
            ...(withBody && { body: Buffer.from(body.text) }),
          })
          // A feed goes on until its reader leaves.
          if (route.operationId === 'followEvents' && response.ok) return response.body!.cancel()
          const text = await response.text()
          expect(response.status, text).toBeLessThan(500)
          const parsed: unknown = JSON.parse(text)
          const own = answerSchema(route, response.status).safeParse(parsed)
          expect(own.success, `${path} ${response.status} ${text} ${own.error?.message}`).toBe(true)
        }),
        { numRuns: RUNS },
      )
      expect(edge.log.filter(({ level }) => level === 'error')).toEqual([])
    },
    60_000,
  )
})
