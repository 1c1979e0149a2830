import {
  ERRORS,
  openApiDocument,
  routes,
  type OpenApi,
  type OperationId,
  type RouteContract,
} from '@medialog/contract/http'
import { compile, type JSONSchema } from 'json-schema-to-typescript'
import { format, type FormatConfig } from 'oxfmt'
import formatting from '../../../.oxfmtrc.json' with { type: 'json' }
import { operationsOf, resolve, type Operation, type Schema } from '../contract/document.ts'

const HEAD = `// Made from the contract by \`npm run contract\`: not to be changed by hand.
import type { Declared } from './declared.ts'
import type { FileSource } from './file-source.ts'
`

/** The source of `packages/client/src/operations.ts`: types of the contract, and what requests are made of. */
export async function operationsSource(): Promise<string> {
  const document = openApiDocument()
  const operations = operationsOf(document)
  const definitions = { ...document.components.schemas }
  for (const operation of operations)
    definitions[inputName(document, operation)] ??= inputOf(document, operation)
  const source = [
    HEAD,
    await typesOf(definitions),
    `/** Every code that the service refuses with. */
    export type ErrorCode = ${Object.keys(ERRORS)
      .map((code) => `'${code}'`)
      .join(' | ')}`,
    interfaceOf(document, operations),
    tableOf(document, operations),
    `export type OperationId = keyof typeof operations`,
  ]
  const { code, errors } = await format('operations.ts', source.join('\n\n'), formatting as FormatConfig)
  if (errors.length > 0) throw new Error(JSON.stringify(errors))
  return code
}

/** Not those of whole answers: callers get what is in them. */
async function typesOf(definitions: { readonly [name: string]: Schema }): Promise<string> {
  const named = Object.entries(definitions).filter(([name]) => !name.endsWith('Answer'))
  const $defs = JSON.parse(JSON.stringify(Object.fromEntries(named)), (_, value: unknown) => {
    if (typeof value !== 'object' || value === null || !('$ref' in value)) return value
    // A description beside a reference would make another type of it.
    return { $ref: String(value.$ref).replace('#/components/schemas/', '#/$defs/') }
  }) as JSONSchema
  const whole: JSONSchema = { $defs, type: 'object', additionalProperties: false }
  const source = await compile(whole, ROOT, {
    additionalProperties: false,
    bannerComment: '',
    format: false,
    ignoreMinAndMaxItems: true,
    unreachableDefinitions: true,
  })
  return source
    .replace(`export interface ${ROOT} {\n\n}\n`, '')
    .replaceAll(/^ \* This (?:interface|type) was referenced by .*\n \* via the .*\n(?: \* \n)?/gm, '')
    .replaceAll(/^\/\*\*\n \*\/\n/gm, '')
}

const ROOT = 'NothingOfItself'

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

const fileInput = (file: Schema): Schema => ({
  description: file.items ? 'The files.' : 'The file.',
  tsType: file.items ? 'readonly FileSource[]' : 'FileSource',
})

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

function interfaceOf(document: OpenApi, operations: readonly Operation[]): string {
  const members = operations.map((operation) => {
    const { operationId, summary, description } = operation
    const data = dataOf(document, operation)
    const entries = entriesOf(document, operation)
    return `/** ${summary}.${description ? ` ${description}` : ''} */
      ${operationId}: {
        input: ${inputName(document, operation)}
        ${data ? `data: ${nameOf(data)}` : ''}
        ${entries ? `entry: ${nameOf(data!)}['${entries}'][number]` : ''}
      }`
  })
  return `/** What goes into each operation and what comes out of it. */\nexport interface Operations {${members.join('\n')}}`
}

function tableOf(document: OpenApi, operations: readonly Operation[]): string {
  const rows = operations.map((operation) => {
    const { operationId, method, path, parameters, requestBody } = operation
    const { access, paid }: RouteContract = routes[operationId as OperationId]
    const query = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)
    const entries = entriesOf(document, operation)
    const [type] = Object.keys(requestBody?.content ?? {})
    return `${operationId}: ${JSON.stringify({
      method: method.toUpperCase(),
      path,
      access,
      ...(paid && { paid }),
      ...(query.length > 0 && { query }),
      ...(type && { body: type === 'multipart/form-data' ? 'form' : 'json' }),
      ...(entries && { entries }),
    })}`
  })
  return `export const operations = {${rows.join(',\n')}} as const satisfies { readonly [id: string]: Declared }`
}
