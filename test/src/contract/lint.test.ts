import { openApiDocument, routes, type RouteContract } from '@medialog/contract/http'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, test } from 'vitest'

/** No id is called `collections`: `/v1/media/{media_id}/history` and `/v1/media/collections/{collection_id}` never meet. */
const RULES = { 'no-ambiguous-paths': 'off' } as const

test('the OpenAPI document is as generators of clients want it', async () => {
  const config = await createConfig({ extends: ['recommended'], rules: RULES })
  const source = JSON.stringify(openApiDocument())
  const problems = await lintFromString({ source, config, absoluteRef: 'openapi.json' })
  const told = problems.map(
    ({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`,
  )
  expect(told).toEqual([])
})

type Node = { [key: string]: unknown }

/** What generators of clients for other languages cannot make types of, with where it stands. */
function untypable(node: unknown, where: string, isNamed = false): string[] {
  if (typeof node !== 'object' || node === null) return []
  const { type, anyOf, oneOf, discriminator, properties, enum: words, format, description } = node as Node
  const found: string[] = []
  if (anyOf) found.push(`${where} is of several types`)
  const others = ((oneOf ?? []) as Node[]).filter((one) => one['type'] !== 'null')
  if (others.length > 1 && !discriminator) found.push(`nothing tells the variants of ${where} apart`)
  if (properties && 'default' in node) found.push(`${where} is an object with a default`)
  if ('const' in node) found.push(`${where} is a constant`)
  if (properties && !isNamed) found.push(`${where} has no name`)
  const isNameless = (word: unknown) => typeof word === 'string' && !/^[A-Za-z_][\w .:/-]*$/.test(word)
  if ((words as unknown[] | undefined)?.some(isNameless) && !('x-enum-varnames' in node))
    found.push(`${where} has values that are no names`)
  if (type === 'integer' && format === undefined) found.push(`${where} does not say how large it is`)
  if (type === 'number' && String(description).includes('USD') && format !== 'decimal')
    found.push(`${where} is money and no decimal`)
  const parts = Object.entries(node).filter(([key]) => !['example', 'examples', 'default'].includes(key))
  return [...found, ...parts.flatMap(([key, part]) => untypable(part, `${where}/${key}`))]
}

test('generators of clients for other languages can make types of it', () => {
  const { components, paths } = openApiDocument()
  const found = Object.entries(components.schemas).flatMap(([name, { properties, ...schema }]) => [
    ...untypable({ ...schema }, name),
    ...Object.entries(properties ?? {}).flatMap(([field, part]) => untypable(part, `${name}/${field}`)),
  ])
  const said = Object.values(components.schemas).map((schema) => JSON.stringify(schema))
  expect(said.length - new Set(said).size, 'schemas that stand twice').toBe(0)
  for (const methods of Object.values(paths))
    for (const { operationId, parameters, requestBody, responses } of Object.values(methods)) {
      const names = new Set(parameters.map(({ name }) => name))
      for (const { schema } of parameters) found.push(...untypable(schema, operationId))
      for (const { schema } of Object.values(requestBody?.content ?? {})) {
        found.push(...untypable(schema, operationId, true))
        for (const field of Object.keys(schema.properties ?? {}))
          if (names.has(field)) found.push(`${operationId} takes ${field} in two places`)
      }
      for (const [status, { headers, content }] of Object.entries(responses)) {
        if (!/^\d{3}$/.test(status)) found.push(`${operationId} answers a range: ${status}`)
        if (!headers?.['X-Request-Id']) found.push(`${operationId} ${status} has no headers`)
        const json = content?.['application/json']?.schema
        if (json && !json.$ref && operationId !== 'openapi' && operationId !== 'asyncapi')
          found.push(...untypable(json, `${operationId} ${status}`))
      }
    }
  expect(found).toEqual([])
})

test('a route that takes amounts reads them from the text of the JSON', () => {
  const { components, paths } = openApiDocument()
  const takesAmounts = (node: unknown): boolean => {
    if (typeof node !== 'object' || node === null) return false
    const { $ref, format } = node as Node
    if (typeof $ref === 'string') return takesAmounts(components.schemas[$ref.split('/').at(-1)!])
    return format === 'decimal' || Object.values(node).some(takesAmounts)
  }
  const taking = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .filter(({ requestBody }) => takesAmounts(requestBody?.content))
    .map(({ operationId }) => operationId)
  const exact = Object.entries<RouteContract>(routes).flatMap(([name, route]) =>
    route.exactNumbers ? name : [],
  )
  expect(taking.toSorted()).toEqual(exact.toSorted())
  expect(taking).not.toEqual([])
})
