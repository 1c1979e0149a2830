/** Deeper than anything that makes sense: keeps recursive readers of the value safe. */
const DEEPEST = 32

export class UnusableJson extends Error {
  readonly parameter: string

  constructor(parameter: string, reason: string) {
    super(reason)
    this.parameter = parameter
  }
}

/**
 * The value of a JSON text. Refuses what JSON.parse lets pass: a name given twice in one object, nesting deeper than
 * 32, strings with NUL or half a surrogate pair. @throws UnusableJson
 */
export function parseJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new UnusableJson('body', `must be JSON: ${(error as Error).message.slice(0, 120)}`)
  }
  checkTokens(text)
  return value
}

/** A string with its closing quote, or a bracket, or a comma: all that matters in a text known to be JSON. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{},]/gs

function checkTokens(text: string): void {
  /** The names of each open object; null for an open array. */
  const open: (Set<string> | null)[] = []
  let expectsName = false
  for (const [token] of text.matchAll(TOKEN)) {
    const names = open.at(-1)
    if (token === '{' || token === '[') {
      if (open.push(token === '{' ? new Set() : null) > DEEPEST)
        throw new UnusableJson('body', `must not be nested deeper than ${DEEPEST}`)
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
