import type { OpenApi, OpenApiOperation, OpenApiParameter } from '@medialog/contract/http'
import { z } from 'zod'

export type Schema = OpenApiParameter['schema']

/** One operation of the document, with where it stands. */
export interface Operation extends OpenApiOperation {
  method: string
  path: string
}

export interface Answer {
  status: number
  contentType: string
  text: string
}

export const operationsOf = (document: OpenApi): Operation[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path })),
  )

/** The schema that a reference names, or the schema itself. */
export function resolve(document: OpenApi, schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1)
  return name === undefined ? schema : document.components.schemas[name]!
}

/** Why an answer is not what the document says of this operation, or null. */
export function answerProblem(document: OpenApi, operation: Operation, answer: Answer): string | null {
  const { status, contentType, text } = answer
  const documented = operation.responses[String(status)]
  if (!documented) return `the status ${status} is not documented`
  const schema = documented.content?.[contentType]?.schema
  if (!schema) return `the content type ${contentType} is not documented for ${status}`
  if (contentType === 'text/event-stream')
    return firstProblem(text.matchAll(/^data: (.*)$/gm), ([, data]) => problemOf(document, schema, data!))
  if (contentType === 'application/x-ndjson')
    return firstProblem(text.trimEnd().split('\n'), (line) => problemOf(document, schema, line))
  if (contentType !== 'application/json') return null
  return problemOf(document, schema, text) ?? codeProblem(documented.description, status, text)
}

function problemOf(document: OpenApi, schema: Schema, text: string): string | null {
  const parsed = parserOf(document, schema).safeParse(JSON.parse(text))
  return parsed.success ? null : z.prettifyError(parsed.error)
}

/** A refusal's code is one of those that the document names for its status. */
function codeProblem(description: string, status: number, text: string): string | null {
  if (status === 200) return null
  const body = JSON.parse(text) as { code?: string; error?: { code: string } }
  const code = body.error?.code ?? body.code
  return description.includes(`\`${code}\``) ? null : `the code ${code} is not documented for ${status}`
}

function firstProblem<T>(values: Iterable<T>, problem: (value: T) => string | null): string | null {
  for (const value of values) {
    const found = problem(value)
    if (found) return found
  }
  return null
}

const parsers = new WeakMap<object, z.ZodType>()

function parserOf(document: OpenApi, schema: Schema): z.ZodType {
  const known = parsers.get(schema)
  if (known) return known
  const whole = JSON.stringify({ ...schema, $defs: document.components.schemas })
  const parser = z.fromJSONSchema(
    JSON.parse(whole.replaceAll('#/components/schemas/', '#/$defs/')) as Parameters<
      typeof z.fromJSONSchema
    >[0],
  )
  parsers.set(schema, parser)
  return parser
}
