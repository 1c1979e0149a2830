import {
  exampleOf,
  type OpenApi,
  type OpenApiOperation,
  type OpenApiParameter,
} from '@medialog/contract/http'

type Schema = OpenApiParameter['schema']

/** The header that an operation's caller needs, by security scheme; values come from the shell. */
const SECRETS: { readonly [scheme: string]: string } = {
  apiKey: 'X-Api-Key: $MEDIALOG_API_KEY',
  operatorToken: 'X-Operator-Token: $MEDIALOG_OPERATOR_TOKEN',
  operatorBearer: 'Authorization: Bearer $MEDIALOG_OPERATOR_TOKEN',
}

/** A command that may be pasted, with what the operation requires filled in from the examples of its schemas. */
export function curlOf(
  { method, path, security, parameters, requestBody }: OpenApiOperation & { method: string; path: string },
  openapi: OpenApi,
): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((parameter) => parameter.name === name)
    return String(parameter ? exampleOf(parameter.schema, openapi.components.schemas) : name)
  })
  const body = requestBody ? bodyOf(requestBody, openapi) : []
  const secrets = security.flatMap((schemes) => Object.keys(schemes)).map((scheme) => SECRETS[scheme]!)
  const implied = body.length > 0 ? 'post' : 'get'
  return [
    `curl ${method === implied ? '' : `-X ${method.toUpperCase()} `}"$MEDIALOG_URL${filled}"`,
    ...secrets.map((secret) => `-H "${secret}"`),
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
