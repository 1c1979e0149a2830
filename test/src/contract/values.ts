import type { OpenApi } from '@medialog/contract/http'
import fc from 'fast-check'
import { resolve, type Schema } from './document.ts'
import type { Known } from './known.ts'

const DEEP: unknown = JSON.parse('['.repeat(40) + ']'.repeat(40))

/** What breaks careless readers: wrong types, extremes, NUL, half a surrogate pair, depth, names of Object.prototype. */
export const nasty: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    -1,
    0.5,
    2 ** 53,
    1e308,
    '',
    ' ',
    '\0',
    '\ud800',
    '..',
    '%00',
    '%E0%A4%A',
    '__proto__',
    'constructor',
    'all',
    'default',
    'vec-',
    'doc_0',
    '9'.repeat(400),
    'x'.repeat(20_000),
    '-1',
    '1e9',
    '2026-02-30',
    '0001-01-01',
    '9999-12-31T23:59:59.999Z',
    '+275760-09-13',
    [],
    {},
    DEEP,
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.jsonValue({ maxDepth: 3 }),
)

/** Where values come from: the document's schemas, ids of what is there, and how many of a hundred are broken. */
export interface Source {
  document: OpenApi
  known: Known
  broken: number
}

/** Values for a field of that name. */
export function valueOf(source: Source, schema: Schema, name = ''): fc.Arbitrary<unknown> {
  const fitting = fittingOf(source, resolve(source.document, schema), name)
  const { broken } = source
  return fc.oneof({ weight: 100 - broken, arbitrary: fitting }, { weight: broken, arbitrary: nasty })
}

function fittingOf(source: Source, schema: Schema, name: string): fc.Arbitrary<unknown> {
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return fc.oneof(...choices.map((choice) => valueOf(source, choice, name)))
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const { minimum: min = 0, maximum: max = 1000 } = schema
  switch (schema.type) {
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.integer({ min, max: Math.min(max, 2 ** 31 - 1) })
    case 'number':
      return fc
        .integer({ min: 0, max: 20 })
        .map((part) => Number((min + ((max - min) * part) / 20).toFixed(9)))
    case 'array':
      return fc.array(valueOf(source, schema.items as Schema, name), {
        minLength: schema.minItems ?? 0,
        maxLength: 4,
      })
    case 'object':
      return objectOf(source, schema)
    default:
      return textOf(source, schema, name)
  }
}

function textOf({ known }: Source, schema: Schema, name: string): fc.Arbitrary<string> {
  if (schema.format === 'date-time')
    return fc
      .date({ noInvalidDate: true, min: new Date('2000-01-01'), max: new Date('2100-01-01') })
      .map((date) => date.toISOString())
  const words = fc.constantFrom(
    'Iceland',
    'whales sleep',
    '요약',
    'naca-0012',
    (schema['example'] ?? 'a') as string,
  )
  // What is known grows while requests are made.
  return fc.tuple(fc.nat(), words).map(([n, word]) => (known.has(name) ? known.one(name, n) : word))
}

function objectOf(source: Source, schema: Schema): fc.Arbitrary<unknown> {
  const fields = Object.entries(schema.properties ?? {}).map(
    ([name, field]) => [name, valueOf(source, field as Schema, name)] as const,
  )
  const whole = fc.record(Object.fromEntries(fields), { requiredKeys: schema.required ?? [] })
  const extended = fc
    .tuple(whole, fc.string({ maxLength: 10 }), nasty)
    .map(([value, name, extra]) => Object.assign(Object.create(null) as object, value, { [name]: extra }))
  return fc.oneof(
    { weight: 100 - source.broken, arbitrary: whole },
    { weight: source.broken, arbitrary: extended },
  )
}
