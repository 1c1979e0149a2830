import {
  contractDocument,
  typeName,
  type OpenApi,
  type OpenApiHeader,
  type OpenApiOperation,
  type Schema,
} from './openapi.ts'

type Schemas = { [name: string]: Schema }

/**
 * The contract for generators of clients: each object has a name, a value has one type or is null, and responses list
 * their headers. It accepts all that the contract accepts, and in unions a little more.
 */
export const openApiDocument = (): OpenApi => forGenerators(contractDocument())

export function forGenerators({ components, paths, ...document }: OpenApi): OpenApi {
  const parts = new Parts(components.schemas)
  const operations = Object.entries(paths).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(methods).map(([method, operation]) => [method, operationOf(operation, parts)]),
    ),
  ])
  const shown = Object.fromEntries(operations) as OpenApi['paths']
  const once = saidOnce({ paths: shown, schemas: parts.usedBy(shown) })
  return {
    ...document,
    paths: once.paths,
    components: { ...components, headers: HEADERS, schemas: once.schemas },
  }
}

/** Of schemas that say the same the first alone: those that refer to them may then say the same as well. */
function saidOnce<Document extends { schemas: Schemas }>(document: Document): Document {
  const first = new Map<string, string>()
  const others = new Map<string, string>()
  for (const [name, schema] of Object.entries(document.schemas)) {
    const said = JSON.stringify(schema)
    const known = first.get(said)
    if (known === undefined) first.set(said, name)
    else others.set(PREFIX + name, PREFIX + known)
  }
  if (others.size === 0) return document
  const schemas = Object.entries(document.schemas).filter(([name]) => !others.has(PREFIX + name))
  const left = JSON.stringify({ ...document, schemas: Object.fromEntries(schemas) })
  return saidOnce(JSON.parse(left, (key, part) => (key === '$ref' && others.get(part)) || part))
}

function operationOf(operation: OpenApiOperation, parts: Parts): OpenApiOperation {
  const name = typeName(operation)
  const parameters = operation.parameters.map((parameter) => ({
    ...parameter,
    schema: parts.shaped(parameter.schema, name + inPascal(parameter.name)),
  }))
  const json = operation.requestBody?.content['application/json']
  const form = operation.requestBody?.content['multipart/form-data']
  // One place for a name: a field that may be in the query as well is shown there.
  const inQuery = new Set(parameters.map((parameter) => parameter.name))
  const fields = Object.entries(form?.schema.properties ?? {}).filter(([field]) => !inQuery.has(field))
  // That a form has no other fields is known to no generator.
  const { additionalProperties: _, ...formed } = form?.schema ?? {}
  return {
    ...operation,
    parameters,
    ...(json && {
      requestBody: {
        ...operation.requestBody!,
        content: { 'application/json': { ...json, schema: parts.named(json.schema, `${name}Request`) } },
      },
    }),
    ...(form && {
      requestBody: {
        ...operation.requestBody!,
        content: {
          'multipart/form-data': {
            ...form,
            schema: parts.shaped({ ...formed, properties: Object.fromEntries(fields) }, `${name}Form`),
          },
        },
      },
    }),
    responses: Object.fromEntries(
      Object.entries(operation.responses).map(([status, response]) => {
        const { content = {}, ...rest } = response
        const types = Object.entries(content).map(([type, media]) => [
          type,
          type === 'application/json'
            ? { ...media, schema: parts.named(media.schema, `${name}Answer`) }
            : media,
        ])
        return [
          status,
          {
            ...rest,
            headers: headersOf(operation, status),
            ...(types.length > 0 && { content: Object.fromEntries(types) }),
          },
        ]
      }),
    ),
  }
}

const text = (description: string): OpenApiHeader => ({ description, schema: { type: 'string' } })
const whole = (description: string): OpenApiHeader => ({
  description,
  schema: { type: 'integer', format: 'int64', minimum: 0 },
})

const HEADERS = {
  'X-Request-Id': text('By which the operator finds the request in the log.'),
  'X-RateLimit-Limit': whole('Requests that the key may send in 60 s.'),
  'X-RateLimit-Remaining': whole('How many of them are left.'),
  'X-RateLimit-Reset': whole('Seconds until all are.'),
  'X-Position': text('What `X-Min-Position` of a later read takes, to see at least as much.'),
  'Retry-After': whole('Seconds to wait before the next try.'),
  'Idempotency-Replayed': text('`true` where the Idempotency-Key was answered before.'),
}

function headersOf(
  { security, parameters }: OpenApiOperation,
  status: string,
): { [name: string]: { $ref: string } } {
  const isOfAccount = security.some((scheme) => 'apiKey' in scheme) && status !== '401'
  const names: (keyof typeof HEADERS)[] = ['X-Request-Id']
  if (isOfAccount) names.push('X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Position')
  if (status === '429' || status === '503') names.push('Retry-After')
  if (status === '200' && parameters.some(({ name }) => name === 'Idempotency-Key'))
    names.push('Idempotency-Replayed')
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

const PREFIX = '#/components/schemas/'

/** The schemas of a document, each object in them under a name of its own. */
class Parts {
  readonly #given: Schemas
  readonly #made: Schemas = {}
  /** By what they say. */
  readonly #names = new Map<string, string>()

  constructor(given: Schemas) {
    this.#given = given
    for (const [name, schema] of Object.entries(given)) {
      const shaped = this.shaped(schema, name)
      this.#made[name] = shaped
      this.#names.set(JSON.stringify(shaped), name)
    }
  }

  /** Those that the paths lead to. */
  usedBy(paths: OpenApi['paths']): Schemas {
    const used = new Set<string>()
    const look = (from: unknown): void => {
      for (const [, name] of JSON.stringify(from).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
        if (used.has(name!)) continue
        used.add(name!)
        look(this.#made[name!])
      }
    }
    look(paths)
    return Object.fromEntries(Object.entries(this.#made).filter(([name]) => used.has(name)))
  }

  /** The schema, or where it is an object a reference to it under that name. */
  named(schema: Schema, name: string): Schema {
    const shaped = this.shaped(schema, name)
    if (shaped.type !== 'object' || !shaped.properties) return shaped
    const said = JSON.stringify(shaped)
    const known = this.#names.get(said)
    if (known !== undefined) return { $ref: PREFIX + known }
    if (name in this.#made || name in this.#given) throw new RangeError(`two schemas are named ${name}`)
    this.#made[name] = shaped
    this.#names.set(said, name)
    return { $ref: PREFIX + name }
  }

  /** The schema with objects inside it named after it. */
  shaped(schema: Schema, name: string): Schema {
    const { anyOf, oneOf, ...rest } = schema
    if (anyOf) return this.#either(anyOf, rest, name)
    if (oneOf) return this.#variants(oneOf, rest, name)
    if (schema.$ref) return schema
    const { properties, items, additionalProperties, const: only } = schema
    const shaped: Schema = { ...schema }
    // The fields have the defaults.
    if (properties) delete shaped.default
    if (properties)
      shaped.properties = Object.fromEntries(
        Object.entries(properties).map(([key, part]) => [
          key,
          this.named(part as Schema, name + inPascal(key)),
        ]),
      )
    if (items) shaped.items = this.named(items as Schema, `${name}Item`)
    if (typeof additionalProperties === 'object')
      shaped.additionalProperties = this.named(additionalProperties, `${name}Value`)
    if (only !== undefined) {
      delete shaped.const
      if (typeof only === 'string' && NAME.test(only)) shaped.enum = [only]
    }
    return scalar(shaped)
  }

  #either(all: readonly Schema[], rest: Schema, name: string): Schema {
    const others = all.filter(({ type }) => type !== 'null')
    const one = others.length === 1 ? { ...others[0]!, ...rest } : this.#combined(others, rest)
    if (others.length === all.length) return this.shaped(one, name)
    const shaped = this.named(one, name)
    if (shaped.$ref) return { ...rest, oneOf: [{ $ref: shaped.$ref }, { type: 'null' }] }
    if (!shaped.type) return shaped
    return {
      ...shaped,
      type: [shaped.type, 'null'] as never,
      ...(shaped.enum && { enum: [...shaped.enum, null] }),
    }
  }

  /** One schema that lets through what any of them does. */
  #combined(all: readonly Schema[], rest: Schema): Schema {
    const found = all.map((one) => (one.$ref ? { ...this.#given[one.$ref.slice(PREFIX.length)]! } : one))
    const words = found.map(
      ({ enum: some, const: only }) => some ?? (typeof only === 'string' ? [only] : null),
    )
    if (words.every((some) => some !== null))
      return { ...rest, type: 'string', enum: [...new Set(words.flat())] }
    const list = found.find(({ type }) => type === 'array')
    // What may stand alone is taken as a list too.
    if (list && found.every((one) => one === list || one.type === 'string' || 'enum' in one))
      return { ...list, ...rest, ...asList('default', rest), ...asList('example', rest) }
    const number = found.find(({ type }) => type === 'number')
    // Those that have decimals need no text for an amount.
    if (number && isAmount(rest)) return { ...number, ...rest }
    if (!found.every(({ properties }) => properties)) return rest
    const keys = new Set(found.flatMap(({ properties }) => Object.keys(properties!)))
    const { description: _, ...told } = found[0]!
    return {
      ...told,
      ...rest,
      properties: Object.fromEntries([...keys].map((key) => [key, this.#property(found, key)])),
      required: (told.required ?? []).filter((key) =>
        found.every(({ required = [] }) => required.includes(key)),
      ),
    }
  }

  #property(all: readonly Schema[], key: string): Schema {
    const found = all
      .map(({ properties }) => properties![key] as Schema | undefined)
      .filter(Boolean) as Schema[]
    const different = [...new Map(found.map((one) => [JSON.stringify(one), one])).values()]
    return different.length === 1 ? different[0]! : this.#combined(different, {})
  }

  /** Objects that one field tells apart. */
  #variants(all: readonly Schema[], rest: Schema, name: string): Schema {
    const field = Object.keys(all[0]!.properties ?? {}).find((key) =>
      all.every(({ properties }) => typeof (properties?.[key] as Schema | undefined)?.const === 'string'),
    )
    if (field === undefined) throw new RangeError(`nothing tells the variants of ${name} apart`)
    const mapping = Object.fromEntries(
      all.map((one) => {
        const value = String((one.properties![field] as Schema).const)
        return [value, this.named(one, name + inPascal(value)).$ref!]
      }),
    )
    const variants = Object.values(mapping).map(($ref) => ({ $ref }))
    return { ...rest, oneOf: variants, discriminator: { propertyName: field, mapping } }
  }
}

const asList = (key: 'default' | 'example', rest: Schema): Schema =>
  typeof rest[key] === 'string' ? { [key]: [rest[key]] } : {}

const isAmount = ({ description = '' }: Schema): boolean => /USD/.test(description)

/** Numbers say how they are held. */
function scalar(schema: Schema): Schema {
  const { type, minimum, maximum } = schema
  if (type === 'number' && isAmount(schema)) return { ...schema, format: 'decimal' }
  if (type !== 'integer') return schema
  const shaped: Schema = { ...schema, format: 'int64' }
  if (minimum === Number.MIN_SAFE_INTEGER) delete shaped.minimum
  if (maximum === Number.MAX_SAFE_INTEGER) delete shaped.maximum
  return shaped
}

/** What generators can name a constant after. */
const NAME = /^[A-Za-z_][\w .:/-]*$/

/** `file_info` as `FileInfo`. */
const inPascal = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
