import type { OpenApiParameter } from '@medialog/contract/http'
import { inlineMarkup, textOf } from './markup.ts'

type Schema = OpenApiParameter['schema']
type Schemas = { readonly [name: string]: Schema }

/** Named parts are written out once a path; below that only their name, so that recursion ends. */
const DEEPEST = 8

/** A schema as nested lists: name, type, rules, description. */
export function schemaTree(schema: Schema, named: Schemas, depth = 0): string {
  const resolved = resolve(schema, named)
  const head = `<span class="type">${textOf(typeOf(resolved))}</span>${rulesOf(resolved)}${
    resolved.description ? ` ${inlineMarkup(resolved.description)}` : ''
  }`
  if (depth >= DEEPEST) return head
  const inner = childrenOf(resolved)
    .map(
      ([name, child, required]) =>
        `<li><code>${textOf(name)}</code>${required ? '' : '<span class="optional">?</span>'} ${schemaTree(child, named, depth + 1)}</li>`,
    )
    .join('')
  return inner ? `${head}<ul class="tree">${inner}</ul>` : head
}

function resolve(schema: Schema, named: Schemas): Schema {
  const name = schema.$ref?.split('/').at(-1)
  return name === undefined ? schema : (named[name] ?? schema)
}

function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.format === 'binary') return 'file'
  if (schema.$ref) return schema.$ref.split('/').at(-1)!
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return choices.map((choice) => typeOf(choice)).join(' | ')
  return String(schema.type ?? 'any')
}

function rulesOf(schema: Schema): string {
  const rules: string[] = []
  if (schema.minimum !== undefined && Math.abs(schema.minimum) < Number.MAX_SAFE_INTEGER)
    rules.push(`≥ ${schema.minimum}`)
  if (schema.maximum !== undefined && schema.maximum < Number.MAX_SAFE_INTEGER)
    rules.push(`≤ ${schema.maximum}`)
  if (schema.maxLength !== undefined) rules.push(`at most ${schema.maxLength} characters`)
  if (schema.maxItems !== undefined) rules.push(`at most ${schema.maxItems} entries`)
  if (schema.default !== undefined) rules.push(`default ${JSON.stringify(schema.default)}`)
  return rules.length > 0 ? ` <span class="rules">${textOf(rules.join(', '))}</span>` : ''
}

function childrenOf(schema: Schema): [name: string, child: Schema, required: boolean][] {
  const required = new Set(schema.required)
  if (schema.properties)
    return Object.entries(schema.properties).map(([name, child]) => [
      name,
      child as Schema,
      required.has(name),
    ])
  const { items, additionalProperties, anyOf, oneOf = anyOf } = schema
  // Choices without parts of their own are shown by the type alone.
  if (oneOf) return oneOf.filter((choice) => choice.properties).map((choice) => ['either', choice, true])
  if (items && !Array.isArray(items) && typeof items === 'object') return [['each', items, true]]
  return additionalProperties && typeof additionalProperties === 'object'
    ? [['any name', additionalProperties, true]]
    : []
}
