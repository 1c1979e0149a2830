import {
  exampleOf,
  type OpenApi,
  type OpenApiOperation,
  type OpenApiParameter,
} from '@medialog/contract/http'
import { secretsOf } from './secrets.ts'

type Schema = OpenApiParameter['schema']

/** A command that may be pasted, with what the operation requires filled in from the examples of its schemas. */
export function curlOf(
  operation: OpenApiOperation & { method: string; path: string },
  openapi: OpenApi,
): string {
  const { method, path, parameters, requestBody } = operation
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((parameter) => parameter.name === name)
    return String(parameter ? exampleOf(parameter.schema, openapi.components.schemas) : name)
  })
  const body = requestBody ? bodyOf(requestBody, openapi) : []
  const implied = body.length > 0 ? 'post' : 'get'
  return [
    `curl ${method === implied ? '' : `-X ${method.toUpperCase()} `}"$MEDIALOG_URL${filled}"`,
    ...secretsOf(operation).map(({ header, prefix, variable }) => `-H "${header}: ${prefix}$${variable}"`),
    ...body,
  ].join(' \\\n     ')
}

function bodyOf({ content }: NonNullable<OpenApiOperation['requestBody']>, openapi: OpenApi): string[] {
  const [[type, { schema }]] = Object.entries(content) as [[string, { schema: Schema }]]
  const example = exampleOf(schema, openapi.components.schemas)
  if (type === 'multipart/form-data')
    return ['-F file=@README.md', ...fieldsOf(schema, example as { [field: string]: unknown })]
  const text = JSON.stringify(example)
  // An empty body is as good as no body where it may be absent.
  return text === '{}' ? [] : [`-H 'Content-Type: ${type}'`, `-d '${text.replaceAll("'", String.raw`'\''`)}'`]
}

/** What a form must have besides its file. */
const fieldsOf = ({ required = [] }: Schema, example: { [field: string]: unknown }): string[] =>
  required.filter((field) => field !== 'file').map((field) => `-F '${field}=${String(example[field])}'`)
