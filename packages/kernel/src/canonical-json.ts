import type { Json } from './events.ts'

type Members = { [name: string]: Json | undefined }

/**
 * JSON as RFC 8785 (JCS) writes it: no white space, members sorted by their names' UTF-16 code units, numbers and
 * strings as ECMAScript serialises them. One departure: a lone surrogate is written as its escape (`\ud83d`) where the
 * RFC refuses it, so that every string survives. Members that are `undefined` are left out, as in JSON.stringify.
 * @throws TypeError for what JSON cannot hold: NaN, infinities, bigint, functions
 */
export const canonicalJson = (value: Json): string =>
  hasOddName(value) ? written(value) : JSON.stringify(inOrder(value))

/**
 * A copy whose members the engine's own serialiser visits in order: two to three times faster than writing the text
 * piece by piece.
 */
function inOrder(value: Json): Json {
  if (typeof value !== 'object') return checked(value)
  if (value === null) return null
  if (Array.isArray(value)) return value.map(inOrder)
  // oxlint-disable-next-line medialog/no-object-as-map -- values with the name that cannot be set are not written so
  const ordered: { [name: string]: Json } = {}
  for (const name of namesOf(value)) ordered[name] = inOrder(value[name]!)
  return ordered
}

/** Objects list names that look like numbers before all others, and one name cannot be set: no order can be given. */
function hasOddName(value: Json | undefined): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(hasOddName)
  for (const name in value)
    if ((name >= '0' && name < ':') || name === '__proto__' || hasOddName(value[name])) return true
  return false
}

function written(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(checked(value))
  if (Array.isArray(value)) return `[${value.map(written).join(',')}]`
  return `{${namesOf(value)
    .map((name) => `${JSON.stringify(name)}:${written(value[name]!)}`)
    .join(',')}}`
}

function namesOf(members: Members): string[] {
  const names = Object.keys(members).sort()
  return names.some((name) => members[name] === undefined)
    ? names.filter((name) => members[name] !== undefined)
    : names
}

function checked<T extends Json>(value: T): T {
  const kind = typeof value
  if (kind === 'string' || kind === 'boolean' || value === null || Number.isFinite(value)) return value
  throw new TypeError(kind === 'number' ? 'JSON holds finite numbers only' : `JSON cannot hold a ${kind}`)
}
