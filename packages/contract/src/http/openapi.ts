import { z } from 'zod'
import { API_VERSION, IDEMPOTENCY_KEY, MAX_COST } from './common.ts'
import { ERROR_BODIES, errorBody, errorKind, type ErrorCode, type ErrorShape } from './errors.ts'
import { exampleOf } from './example.ts'
import { codesOf, type RouteContract } from './route.ts'
import { routes } from './routes.ts'
import { TAGS, type Tag } from './tags.ts'

export type Schema = z.core.JSONSchema.JSONSchema
type Schemas = { [name: string]: Schema }

export interface OpenApi {
  openapi: string
  servers: { url: string; description: string }[]
  tags: { name: string; description: string }[]
  info: { title: string; version: string; description: string; license: { name: string; identifier: string } }
  paths: { [path: string]: { [method: string]: OpenApiOperation } }
  components: { schemas: Schemas; headers?: { [name: string]: OpenApiHeader }; securitySchemes: object }
}

export interface OpenApiHeader {
  description: string
  schema: Schema
}

export interface OpenApiOperation {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  security: { [scheme: string]: string[] }[]
  parameters: OpenApiParameter[]
  requestBody?: { required: boolean; content: Content }
  responses: { [status: string]: OpenApiResponse }
}

export interface OpenApiResponse {
  description: string
  headers?: { [name: string]: { $ref: string } }
  content?: Content
}

export interface OpenApiParameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: Schema
}
type Examples = { [name: string]: { value: unknown } }
type Content = { [contentType: string]: { schema: Schema; examples?: Examples } }

const DESCRIPTION =
  'A media memory that can be audited: files go in, what can be known about them is kept as text, metadata and vectors, and the file itself is dropped.'

/** OpenAPI 3.1, made from the same schemas that parse requests and, in tests, answers: as exact as they are. */
export function contractDocument(): OpenApi {
  const schemas: Schemas = {}
  const paths: OpenApi['paths'] = {}
  for (const route of Object.values<RouteContract>(routes))
    (paths[route.path] ??= {})[route.method] = operationOf(route, schemas)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Medialog',
      version: API_VERSION,
      description: DESCRIPTION,
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The service that this description comes from.' }],
    tags: tagsInUse(),
    paths,
    components: {
      schemas,
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
        operatorToken: { type: 'apiKey', in: 'header', name: 'X-Operator-Token' },
        operatorBearer: { type: 'http', scheme: 'bearer' },
      },
    },
  }
}

/** In their order. */
function tagsInUse(): OpenApi['tags'] {
  const used = new Set(Object.values<RouteContract>(routes).map(({ tag }) => tag))
  return Object.entries(TAGS).flatMap(([name, description]) =>
    used.has(name as Tag) ? [{ name, description }] : [],
  )
}

function securityOf({ access, bearer }: RouteContract): OpenApiOperation['security'] {
  if (bearer) return [{ operatorBearer: [] }]
  if (access === 'public') return []
  return [{ [access === 'operator' ? 'operatorToken' : 'apiKey']: [] }]
}

function operationOf(route: RouteContract, schemas: Schemas): OpenApiOperation {
  const { operationId, tag, summary, description } = route
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description && { description }),
    security: securityOf(route),
    parameters: parametersOf(route, schemas),
    ...bodyOf(route, schemas),
    responses: { 200: successOf(route, schemas), ...errorsOf(route, schemas) },
  }
}

function parametersOf(route: RouteContract, schemas: Schemas): OpenApiParameter[] {
  const found: OpenApiParameter[] = []
  for (const [place, schema] of [
    ['path', route.params],
    ['query', route.query],
  ] as const) {
    if (!schema) continue
    const { properties = {}, required = [] } = jsonSchema(schema, 'input', schemas)
    for (const [name, property] of Object.entries(properties))
      found.push({ name, in: place, required: required.includes(name), schema: property as Schema })
  }
  const header = (name: string, description: string, pattern?: RegExp): void => {
    const schema = { type: 'string' as const, ...(pattern && { pattern: pattern.source }) }
    found.push({ name, in: 'header', required: false, description, schema })
  }
  if (route.paid) {
    header(
      'Idempotency-Key',
      '1 to 255 visible ASCII characters: the same request is done once in 24 h.',
      IDEMPOTENCY_KEY,
    )
    header(
      'X-Max-Cost',
      'USD, such as 0.05: a request that could cost more is refused, and costs nothing.',
      MAX_COST,
    )
  }
  for (const [name, { says, pattern }] of Object.entries(route.headers ?? {})) header(name, says, pattern)
  if (route.access === 'read')
    header(
      'X-Min-Position',
      'An X-Position of an earlier answer to wait for, or several with commas between.',
    )
  return found
}

function bodyOf(route: RouteContract, schemas: Schemas): Pick<OpenApiOperation, 'requestBody'> | undefined {
  if (route.body)
    return {
      requestBody: {
        // One that is absent is read as `{}`, to be refused for what it lacks.
        required: !route.bodyOptional || !route.body.safeParse({}).success,
        content: {
          'application/json': {
            schema: named(`${typeName(route)}Request`, jsonSchema(route.body, 'input', schemas), schemas),
          },
        },
      },
    }
  if (!route.form) return undefined
  const form = jsonSchema(route.form, 'input', schemas)
  const part: Schema = { type: 'string', format: 'binary' }
  const file: Schema = route.mostFiles
    ? {
        type: 'array',
        items: part,
        minItems: 1,
        maxItems: route.mostFiles,
        description: 'One part for each file.',
      }
    : { ...part, description: 'Exactly one file part.' }
  const schema: Schema = {
    ...form,
    properties: { file, ...form.properties },
    required: ['file', ...(form.required ?? [])],
  }
  return { requestBody: { required: true, content: { 'multipart/form-data': { schema } } } }
}

function successOf(route: RouteContract, schemas: Schemas): OpenApiOperation['responses'][string] {
  const { answer, also = [], events } = route
  if (!(answer instanceof z.ZodType)) {
    const part = events ?? answer.line
    return {
      description: answer.description,
      content: { [answer.contentType]: { schema: part ? jsonSchema(part, 'output', schemas) : {} } },
    }
  }
  const schema = namedAnswer(typeName(route), jsonSchema(answer, 'output', schemas), schemas)
  const content: Content = {
    'application/json': { schema, examples: { done: { value: exampleOf(schema, schemas) } } },
  }
  for (const { contentType, description, line } of also)
    content[contentType] = {
      schema: line ? jsonSchema(line, 'output', schemas) : { type: 'string', description },
    }
  if (events) content['text/event-stream'] = { schema: jsonSchema(events, 'output', schemas) }
  return { description: 'Done.', content }
}

export const typeName = ({ operationId }: Pick<RouteContract, 'operationId'>): string =>
  operationId.charAt(0).toUpperCase() + operationId.slice(1)

/** Generators make a type of each named part, and would make up names for the others. */
function named(name: string, schema: Schema, schemas: Schemas): Schema {
  if (schema.$ref) return schema
  if (name in schemas) throw new RangeError(`two schemas are named ${name}`)
  schemas[name] = schema
  return { $ref: `#/components/schemas/${name}` }
}

function namedAnswer(name: string, { properties = {}, ...answer }: Schema, schemas: Schemas): Schema {
  const data = named(`${name}Data`, properties['data'] as Schema, schemas)
  return named(`${name}Answer`, { ...answer, properties: { ...properties, data } }, schemas)
}

function errorsOf(route: RouteContract, schemas: Schemas): OpenApiOperation['responses'] {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of codesOf(route)) {
    const status = route.statuses?.[code] ?? errorKind(code).status
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  const { shape } = route
  const schema = jsonSchema(ERROR_BODIES[shape], 'output', schemas)
  const refusals = Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes
          .map((code) => `\`${shownCode(shape, code)}\`: ${errorKind(code).when}`)
          .join('\n\n'),
        content: { 'application/json': { schema, examples: errorExamples(route, status, codes) } },
      },
    ]),
  )
  // Of every route; told where there is nothing else to refuse.
  const refusesNothing = [...byStatus.keys()].every((status) => status >= 500)
  const unread = { description: NOT_HTTP, content: { 'application/json': { schema } } }
  return { ...refusals, ...(refusesNothing && { 400: unread }) }
}

const NOT_HTTP = 'What cannot be read as HTTP, or names no host.'

const REQUEST_ID = 'req_0190d3c2-6f0e-7b1a-9c1d-2f6f5f0a7b11'

/** What a refusal looks like, by its code: its message and details are the service's own. */
const errorExamples = ({ shape }: RouteContract, status: number, codes: readonly ErrorCode[]): Examples =>
  Object.fromEntries(
    codes.map((code) => {
      const { when: message } = errorKind(code)
      const details = { request_id: REQUEST_ID }
      return [shownCode(shape, code), { value: errorBody(shape, code, { status, message, details }) }]
    }),
  )

/** Shapes B and C write codes in lower case. */
const shownCode = (shape: ErrorShape, code: ErrorCode): string => (shape === 'A' ? code : code.toLowerCase())

/** A schema with its named parts moved to the document's components. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output', schemas: Schemas): Schema {
  const {
    $schema: _,
    $defs,
    ...own
  } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      // A caller must not break when an answer gains a field; a request with an unknown field is refused.
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      // That names are texts goes without saying, and generators do not know the word.
      if (Object.keys(jsonSchema.propertyNames ?? {}).join() === 'type') delete jsonSchema.propertyNames
      const { shownDefault } = jsonSchema
      if (shownDefault === undefined) return
      delete jsonSchema.shownDefault
      jsonSchema.default = shownDefault
    },
  })
  const { id, ...root } = own
  const lift = <T>(part: T): T =>
    JSON.parse(JSON.stringify(part).replaceAll('"#/$defs/', '"#/components/schemas/'), oneType) as T
  for (const [name, part] of Object.entries($defs ?? {})) {
    const { id: _, ...named } = part
    schemas[name] = lift(named)
  }
  if (!id) return lift(root)
  schemas[id] = lift(root)
  return { $ref: `#/components/schemas/${id}` }
}

/** Generators take several types in one place only where one of them is null. */
function oneType(_key: string, part: unknown): unknown {
  if (typeof part !== 'object' || part === null || !('type' in part) || !Array.isArray(part.type)) return part
  const { type, ...rest } = part as { type: string[] }
  return type.includes('null') ? part : { ...rest, anyOf: type.map((one) => ({ type: one })) }
}
