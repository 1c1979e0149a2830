import { expect } from 'vitest'

const isText = (value: unknown): value is string => typeof value === 'string'
const listOf = (is: (entry: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(is)
const isNumber = (value: unknown) => typeof value === 'number' && Number.isFinite(value)

/** The types that the table of fields names. */
const TYPES: { readonly [name: string]: (value: unknown) => boolean } = {
  string: isText,
  integer: Number.isInteger,
  number: isNumber,
  ratio: (value) => isNumber(value) && Number(value) >= 0 && Number(value) <= 1,
  boolean: (value) => typeof value === 'boolean',
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  null: (value) => value === null,
  strings: listOf(isText),
  numbers: listOf(isNumber),
  timestamp: (value) => isText(value) && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value),
  zoneless: (value) => isText(value) && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/.test(value),
}

/** Everything that stands at a path: `[]` is each entry of a list, `{}` each value of a map. */
function valuesAt(value: unknown, path: readonly string[]): unknown[] {
  const [step, ...rest] = path
  if (step === undefined) return [value]
  if (typeof value !== 'object' || value === null) return []
  const [, name, each] = /^(\w*)((?:\[\]|\{\})*)$/.exec(step)!
  let found = Object.hasOwn(value, name!) ? [(value as Record<string, unknown>)[name!]] : []
  for (let level = 0; level < each!.length; level += 2)
    found = found.flatMap((inner) => Object.values(inner ?? {}))
  return found.flatMap((inner) => valuesAt(inner, rest))
}

/** Whether the field is in the body; where it is, it must be of its type. */
export function hasField(body: unknown, path: string, type: string): boolean {
  const values = valuesAt(body, path.split('.'))
  for (const value of values)
    expect(
      type.split('|').some((name) => TYPES[name]!(value)),
      `${path} is ${JSON.stringify(value)}, not ${type}`,
    ).toBe(true)
  return values.length > 0
}
