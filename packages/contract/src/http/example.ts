import type { z } from 'zod'

type Schema = z.core.JSONSchema.JSONSchema

/** The schema's own example, or one made of what it requires; `schemas` are those that it refers to. */
export function exampleOf(given: Schema, schemas: { readonly [name: string]: Schema }): unknown {
  const name = given.$ref?.split('/').at(-1)
  const schema = name === undefined ? given : schemas[name]!
  const example: unknown = schema['example'] ?? schema.const ?? schema.enum?.[0]
  if (example !== undefined) return example
  const [choice] = schema.anyOf ?? schema.oneOf ?? []
  if (choice) return exampleOf(choice, schemas)
  if (schema.items) return [exampleOf(schema.items as Schema, schemas)]
  if (schema.properties)
    return Object.fromEntries(
      Object.entries(schema.properties)
        .filter(([field, property]) => schema.required?.includes(field) || isWorthShowing(property as Schema))
        .map(([field, property]) => [field, exampleOf(property as Schema, schemas)]),
    )
  // A value that may be null has both types, its own first.
  const [type] = [schema.type].flat()
  return PLAIN.get(type ?? 'object') ?? schema.minimum ?? 1
}

const PLAIN: ReadonlyMap<string, unknown> = new Map(
  Object.entries<unknown>({ string: '…', boolean: true, object: {} }),
)

/** An optional field with an example, unless that is a time: those age. */
const isWorthShowing = (schema: Schema): boolean =>
  schema['example'] !== undefined && schema.format !== 'date-time'
