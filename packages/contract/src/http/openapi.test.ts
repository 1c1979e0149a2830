import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { openApiDocument } from './openapi-for-generators.ts'
import type { RouteContract } from './route.ts'
import { routes } from './routes.ts'

const document = openApiDocument()

describe('the OpenAPI document', () => {
  it('holds every route once, under its own name', () => {
    const listed = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${operationId} ${method} ${path}`),
    )
    const declared = Object.entries<RouteContract>(routes).map(
      ([id, { method, path }]) => `${id} ${method} ${path}`,
    )
    expect(listed.sort()).toEqual(declared.sort())
  })

  it('leads from the first upload on, and says where to send it', () => {
    expect(document.tags.map(({ name }) => name).slice(0, 3)).toEqual(['Media', 'Batches', 'Search'])
    expect(document.paths['/v1/media']!['post']!.operationId).toBe('uploadMedia')
    const used = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).flatMap(({ tags }) => tags),
    )
    expect(new Set(used)).toEqual(new Set(document.tags.map(({ name }) => name)))
    expect(document.servers).toMatchObject([{ url: '/' }])
  })

  it('refers only to what it holds', () => {
    const references = JSON.stringify(document).match(/"\$ref":"[^"]+"/g) ?? []
    const { schemas, headers = {} } = document.components
    const known = Object.entries({ schemas, headers }).flatMap(([kind, parts]) =>
      Object.keys(parts).map((name) => `"$ref":"#/components/${kind}/${name}"`),
    )
    expect(references.filter((reference) => !known.includes(reference))).toEqual([])
    expect(references.length).toBeGreaterThan(10)
  })

  it('declares every parameter of a path', () => {
    for (const [path, methods] of Object.entries(document.paths))
      for (const { parameters } of Object.values(methods)) {
        const declared = parameters
          .filter((parameter) => parameter.in === 'path')
          .map(({ name }) => `{${name}}`)
        expect(declared).toEqual(path.match(/\{\w+\}/g) ?? [])
      }
  })

  it('shows the types that text is read as, with their defaults', () => {
    const parameters = document.paths['/v1/media']!['get']!.parameters
    expect(parameters.find(({ name }) => name === 'page_size')!.schema).toEqual({
      type: 'integer',
      format: 'int64',
      minimum: 1,
      maximum: 100,
      default: 20,
    })
    expect(parameters.map(({ name }) => name)).toContain('X-Min-Position')
  })

  it('requires nothing of a request that has a default', () => {
    const required: string[] = []
    const look = (schema: JsonSchema, path: string): void => {
      if (typeof schema !== 'object' || schema === null) return
      const {
        properties = {},
        required: names = [],
        ...rest
      } = schema as { properties?: object; required?: string[] }
      for (const [name, property] of Object.entries(properties) as [string, JsonSchema][]) {
        if (names.includes(name) && 'default' in (property as object)) required.push(`${path}.${name}`)
        look(property, `${path}.${name}`)
      }
      for (const part of Object.values(rest).flat()) look(part as JsonSchema, path)
    }
    const requests = Object.entries(document.components.schemas).filter(([name]) => name.endsWith('Request'))
    expect(requests.length).toBeGreaterThan(10)
    for (const [name, schema] of requests) look(schema, name)
    for (const methods of Object.values(document.paths))
      for (const { operationId, requestBody } of Object.values(methods))
        for (const { schema } of Object.values(requestBody?.content ?? {})) look(schema, operationId)
    expect(required).toEqual([])
  })

  it('admits no value that the service refuses for its form', () => {
    const refused: string[] = []
    for (const { operationId, params, query, body, path, method } of Object.values<RouteContract>(routes)) {
      const { parameters, requestBody } = document.paths[path]![method]!
      const json = requestBody?.content['application/json']?.schema
      const fields = json ? propertiesOf(json) : new Map<string, JsonSchema>()
      const ofText = { ...shapeOf(params), ...shapeOf(query) }
      const all = [
        ...Object.entries(ofText).map(([name, field]) => {
          const { schema } = parameters.find((parameter) => parameter.name === name)!
          return { name, field, schema, read: String }
        }),
        ...Object.entries(shapeOf(body)).map(([name, field]) => ({
          name,
          field,
          schema: fields.get(name)!,
          read: (value: unknown) => value,
        })),
      ]
      for (const { name, field, schema, read } of all) {
        const parser = parserOf(schema)
        for (const value of PROBES)
          if (parser.safeParse(value).success && !field.safeParse(read(value)).success)
            refused.push(`${operationId} ${name} ${JSON.stringify(value)}`)
      }
    }
    expect(refused).toEqual([])
  })

  it('names the codes of each status, in the case of the route’s shape', () => {
    const upload = document.paths['/v1/media']!['post']!
    expect(upload.responses['409']!.description).toMatch(/`DUPLICATE_FILE`[^]*`REQUEST_IN_PROGRESS`/)
    expect(document.paths['/v1/usage']!['get']!.responses['401']!.description).toContain('`invalid_api_key`')
    expect(Object.keys(upload.requestBody!.content)).toEqual(['multipart/form-data'])
  })

  it('has an example of every answer and of every code, each as its schema says', () => {
    for (const methods of Object.values(document.paths))
      for (const { operationId, responses, security } of Object.values(methods)) {
        for (const scheme of security.flatMap((schemes) => Object.keys(schemes)))
          expect(document.components.securitySchemes).toHaveProperty(scheme)
        for (const [status, { description, content }] of Object.entries(responses)) {
          const { schema, examples = {} } = content?.['application/json'] ?? {}
          if (!schema || operationId === 'openapi' || operationId === 'asyncapi') continue
          const named = Object.keys(examples)
          const codes = [...description.matchAll(/`(\w+)`: /g)].map(([, code]) => code)
          expect(named).toEqual(status === '200' ? ['done'] : codes)
          const parser = parserOf(schema)
          for (const [name, { value }] of Object.entries(examples))
            expect(parser.safeParse(value).error, `${operationId} ${status} ${name}`).toBeUndefined()
        }
      }
  })
})

const TEXTS = ['', ' ', 'a', 'A b', 'ü', '-1', '0', '1e5', '2026-13', '9'.repeat(20), 'x'.repeat(70)]
const NUMBERS = [-1, 1, 1.5, 2 ** 53, 1e15, 1e300]
/** Each alone and in a list. */
const PROBES: readonly unknown[] = [...TEXTS, ...NUMBERS].flatMap((value) => [value, [value]])

type JsonSchema = Parameters<typeof z.fromJSONSchema>[0]

function parserOf(schema: JsonSchema): z.ZodType {
  const whole = JSON.stringify({ ...(schema as object), $defs: document.components.schemas })
  return z.fromJSONSchema(JSON.parse(whole.replaceAll('#/components/schemas/', '#/$defs/')) as JsonSchema)
}

const shapeOf = (schema: z.ZodType | undefined): { [name: string]: z.ZodType } =>
  schema instanceof z.ZodObject ? schema.shape : {}

/** Of an object that a request sends, by name. */
function propertiesOf({ $ref, ...schema }: { $ref?: string; properties?: object }): Map<string, JsonSchema> {
  const whole = $ref ? document.components.schemas[$ref.split('/').at(-1)!]! : schema
  return new Map(Object.entries(whole.properties ?? {}) as [string, JsonSchema][])
}
