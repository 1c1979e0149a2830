import {
  ERRORS,
  contractDocument,
  routes,
  type OpenApi,
  type OperationId,
  type RouteContract,
} from '@medialog/contract/http'
import { operationsOf, resolve, type Operation, type Schema } from '../contract/document.ts'

/** What client libraries are made from, whatever their language. */
export interface ClientContract {
  /** JSON Schemas of what goes in and comes out, by their names; they refer to each other below `#/$defs/`. */
  definitions: { [name: string]: Schema }
  operations: ClientOperation[]
  /** Every code that the service refuses with. */
  codes: string[]
}

export interface ClientOperation {
  id: string
  summary: string
  description?: string
  /** Names of definitions; `data` is missing where an answer is no JSON. */
  input: string
  data?: string
  /** Method, path and parameters: `Declared` of the client library. */
  declared: { [field: string]: unknown }
}

export function clientContract(): ClientContract {
  const document = contractDocument()
  const operations = operationsOf(document)
  const definitions = { ...document.components.schemas }
  for (const operation of operations)
    definitions[inputName(document, operation)] ??= inputOf(document, operation)
  // Callers get what is in answers.
  const named = Object.entries(definitions).filter(([name]) => !name.endsWith('Answer'))
  return {
    definitions: JSON.parse(JSON.stringify(Object.fromEntries(named)), (_, value: unknown) => {
      if (typeof value !== 'object' || value === null || !('$ref' in value)) return value
      // A description beside a reference would make another type of it.
      return { $ref: String(value.$ref).replace('#/components/schemas/', '#/$defs/') }
    }) as ClientContract['definitions'],
    operations: operations.map((operation) => clientOperation(document, operation)),
    codes: Object.keys(ERRORS),
  }
}

function clientOperation(document: OpenApi, operation: Operation): ClientOperation {
  const { operationId, summary, description, method, path, parameters, requestBody } = operation
  const { access, paid }: RouteContract = routes[operationId as OperationId]
  const query = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)
  const data = dataOf(document, operation)
  const entries = entriesOf(document, operation)
  const [type] = Object.keys(requestBody?.content ?? {})
  return {
    id: operationId,
    summary,
    ...(description && { description }),
    input: inputName(document, operation),
    ...(data && { data: nameOf(data) }),
    declared: {
      method: method.toUpperCase(),
      path,
      access,
      ...(paid && { paid }),
      ...(query.length > 0 && { query }),
      ...(type && { body: type === 'multipart/form-data' ? 'form' : 'json' }),
      ...(entries && { entries }),
    },
  }
}

/** A body that is a choice is the input itself: no operation has parameters besides. */
function inputName(document: OpenApi, { operationId, requestBody }: Operation): string {
  const body = Object.values(requestBody?.content ?? {})[0]?.schema
  if (body && !resolve(document, body).properties) return nameOf(body)
  return `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Input`
}

/** Parameters and body side by side: no two of them share a name and mean different things. */
function inputOf(document: OpenApi, { parameters, requestBody }: Operation): Schema {
  const properties: { [name: string]: Schema } = {}
  const required: string[] = []
  for (const { name, in: place, required: isRequired, description, schema } of parameters) {
    if (place === 'header') continue
    properties[name] = description ? { ...schema, description } : schema
    if (isRequired) required.push(name)
  }
  const [content] = Object.values(requestBody?.content ?? {})
  if (content) {
    const body = resolve(document, content.schema)
    for (const [name, property] of Object.entries(body.properties ?? {}))
      properties[name] ??= name === 'file' ? fileInput(property as Schema) : (property as Schema)
    required.push(...(body.required ?? []))
  }
  return { type: 'object', additionalProperties: false, properties, required }
}

/** As each language has files. */
const FILE = { tsType: 'FileSource', customTypePath: 'medialog._files.FileSource' }

const fileInput = (file: Schema): Schema =>
  file.items
    ? { description: 'The files.', type: 'array', items: FILE }
    : { description: 'The file.', ...FILE }

/** What the data of an operation's success is; null where it is no JSON. */
function dataOf(document: OpenApi, { responses }: Operation): Schema | null {
  const schema = responses['200']!.content?.['application/json']?.schema
  const data = schema && resolve(document, schema).properties?.['data']
  return (data as Schema | undefined) ?? null
}

const nameOf = ({ $ref }: Schema): string => $ref!.split('/').at(-1)!

/** Of a list with pages: the field of its entries, the last list before `pagination`. */
function entriesOf(document: OpenApi, operation: Operation): string | null {
  const data = dataOf(document, operation)
  const fields = Object.entries((data && resolve(document, data).properties) ?? {}) as [string, Schema][]
  const end = fields.findIndex(([name]) => name === 'pagination')
  return fields.slice(0, Math.max(0, end)).findLast(([, { type }]) => type === 'array')?.[0] ?? null
}
