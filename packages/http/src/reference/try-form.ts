import {
  exampleOf,
  type OpenApi,
  type OpenApiOperation,
  type OpenApiParameter,
} from '@medialog/contract/http'
import { textOf as text } from './markup.ts'
import { secretsOf } from './secrets.ts'

type Schema = OpenApiParameter['schema']

/** Where the reader writes the secrets, once for all forms. They stay in the page and go nowhere but into requests. */
export const SECRET_INPUTS = `<form class="secrets" autocomplete="off"><label>API key <input type="password" id="api-key" autocomplete="off" spellcheck="false"></label>
<label>Operator token <input type="password" id="operator-token" autocomplete="off" spellcheck="false"></label></form>`

/** A form that sends the operation to the server which the page came from, for `try-it.js`. */
export function tryForm(
  operation: OpenApiOperation & { method: string; path: string },
  openapi: OpenApi,
): string {
  const { method, path, parameters, requestBody } = operation
  const [secret] = secretsOf(operation)
  const given = secret
    ? ` data-secret="${secret.input}" data-header="${secret.header}" data-prefix="${secret.prefix}"`
    : ''
  const inputs = [
    ...parameters.map(({ name, in: place, required, schema }) =>
      labelled(name, required, inputOf({ name, place, schema, required })),
    ),
    ...(requestBody ? bodyInputs(requestBody, openapi) : []),
  ]
  return `<details class="try"><summary>Try it</summary><form data-method="${method}" data-path="${text(path)}"${given}>
${inputs.join('\n')}
<button name="send">Send</button> <button type="button" name="cancel" hidden>Cancel</button><output aria-live="polite"></output></form></details>`
}

function bodyInputs({ content }: NonNullable<OpenApiOperation['requestBody']>, openapi: OpenApi): string[] {
  const [[type, { schema }]] = Object.entries(content) as [[string, { schema: Schema }]]
  if (type !== 'multipart/form-data') {
    const example = JSON.stringify(exampleOf(schema, openapi.components.schemas), null, 2)
    const rows = Math.min(16, example.split('\n').length + 1)
    return [
      `<label>Body<textarea name="body" data-in="json" rows="${rows}" spellcheck="false">${text(example)}</textarea></label>`,
    ]
  }
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, Schema>
    required?: string[]
  }
  return Object.entries(properties).map(([name, schema]) => {
    const isRequired = required.includes(name)
    return labelled(name, isRequired, inputOf({ name, place: 'form', schema, required: isRequired }))
  })
}

const labelled = (name: string, required: boolean, input: string): string =>
  `<label><span><code>${text(name)}</code>${required ? ' <em>required</em>' : ''}</span>${input}</label>`

interface Input {
  name: string
  place: string
  schema: Schema
  required: boolean
}

function inputOf({ name, place, schema, required }: Input): string {
  const given = `name="${text(name)}" data-in="${place}"${required ? ' required' : ''}`
  const isList = schema.items !== undefined
  const { format, type, enum: choices } = isList ? (schema.items as Schema) : schema
  if (format === 'binary') return `<input type="file" ${given}${isList ? ' multiple' : ''}>`
  const options = choices ?? (type === 'boolean' ? [true, false] : null)
  if (options && !isList)
    return `<select ${given}><option value=""></option>${options
      .map((option) => `<option>${text(String(option))}</option>`)
      .join('')}</select>`
  const hint = JSON.stringify(schema['default'] ?? schema['example'])?.replaceAll(/^"|"$/g, '')
  return `<input ${given}${hint === undefined ? '' : ` placeholder="${text(hint)}"`} autocomplete="off" spellcheck="false">`
}
