import { DOUBLE_DIGITS } from '@medialog/kernel'

/** Deeper than anything that makes sense: keeps recursive readers of the value safe. */
const DEEPEST = 32
/** Far more than any request has: a body of names and brackets alone would be work for a second. */
const MOST_TOKENS = 50_000

export class UnusableJson extends Error {
  readonly parameter: string

  constructor(parameter: string, reason: string) {
    super(reason)
    this.parameter = parameter
  }
}

/** The text of a number with more digits than a double holds: https://tc39.es/proposal-json-parse-with-source/ */
function textOfLong(_: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  if (typeof value !== 'number') return value
  const digits = source.replace(/e.*/i, '').replace(/\D/g, '').replace(/^0+/, '')
  return digits.length > DOUBLE_DIGITS ? source : value
}

/**
 * The value of a JSON text; with `exactNumbers`, numbers of more than 15 digits are their text. Refuses what JSON.parse lets pass: a name given twice in one object, nesting deeper than 32, more
 * than 50 000 strings, brackets and commas, strings with NUL or half a surrogate pair. @throws UnusableJson
 */
export function parseJson(text: string, { exactNumbers = false } = {}): unknown {
  const tokens = tokensOf(text)
  let value: unknown
  try {
    value = exactNumbers ? JSON.parse(text, textOfLong) : JSON.parse(text)
  } catch (error) {
    throw new UnusableJson('body', `must be JSON: ${(error as Error).message.slice(0, 120)}`)
  }
  checkNames(tokens)
  return value
}

/**
 * Brackets, commas, and strings with their quotes: all that matters in a text known to be JSON. Nothing else is built from it
 * before it is known to have few of them.
 */
function tokensOf(text: string): string[] {
  const tokens: string[] = []
  const signs = /["[\]{},]/g
  let depth = 0
  for (let found = signs.exec(text); found !== null; found = signs.exec(text)) {
    const [sign] = found
    const end = sign === '"' ? endOfString(text, found.index) : found.index + 1
    signs.lastIndex = end
    if (tokens.push(text.slice(found.index, end)) > MOST_TOKENS)
      throw new UnusableJson('body', `must have at most ${MOST_TOKENS} strings, brackets and commas`)
    if (sign === '{' || sign === '[') depth++
    else if (sign === '}' || sign === ']') depth--
    if (depth > DEEPEST) throw new UnusableJson('body', `must not be nested deeper than ${DEEPEST}`)
  }
  return tokens
}

/** Behind its closing quote: the first one with an even number of backslashes before it. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let before = quote
    while (text[before - 1] === '\\') before--
    if ((quote - before) % 2 === 0) return quote + 1
  }
  return text.length
}

function checkNames(tokens: readonly string[]): void {
  /** The names of each open object; null for an open array. */
  const open: (Set<string> | null)[] = []
  let expectsName = false
  for (const token of tokens) {
    const names = open.at(-1)
    if (token === '{' || token === '[') {
      open.push(token === '{' ? new Set() : null)
      expectsName = token === '{'
    } else if (token === '}' || token === ']') {
      open.pop()
      expectsName = false
    } else if (token === ',') {
      expectsName = names instanceof Set
    } else {
      checkString(token)
      if (expectsName && names) remember(names, token)
      expectsName = false
    }
  }
}

function remember(names: Set<string>, token: string): void {
  const name = JSON.parse(token) as string
  if (names.has(name)) throw new UnusableJson(name.slice(0, 40).toWellFormed(), 'is given twice')
  names.add(name)
}

function checkString(token: string): void {
  if (!token.includes('\\u')) return
  const problem = textProblem(JSON.parse(token) as string)
  if (problem) throw new UnusableJson('body', problem)
}

/** Why a text cannot be stored or compared safely, or null. */
export function textProblem(text: string): string | null {
  if (text.includes('\0')) return 'must not contain NUL characters'
  return text.isWellFormed() ? null : 'must not contain half a surrogate pair'
}
