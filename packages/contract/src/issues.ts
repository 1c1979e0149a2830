import { nearest } from '@medialog/kernel'
import { z } from 'zod'

/** Letters of a name or value that an answer repeats. */
const LONGEST_SHOWN = 40

/** The reason of an issue, as the end of the sentence "<parameter> …". Schemas may give their own instead. */
export function describeIssue(issue: z.core.$ZodRawIssue): string {
  if (issue.code === 'invalid_union' && issue.discriminator) return discriminatorRule(issue)
  if (issue.input === undefined && issue.code !== 'unrecognized_keys') return 'is required'
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPES.get(issue.expected) ?? issue.expected}`
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`
    case 'unrecognized_keys':
      return `is not a known parameter${suggestion(issue)}`
    case 'too_small':
      return sizeRule(issue.origin, 'at least', issue.minimum, issue.inclusive)
    case 'too_big':
      return sizeRule(issue.origin, 'at most', issue.maximum, issue.inclusive)
    default:
      return 'has the wrong form'
  }
}

/** The name that was probably meant, of those that the schema knows. */
function suggestion({
  keys: [unknown = ''],
  inst,
}: z.core.$ZodRawIssue<z.core.$ZodIssueUnrecognizedKeys>): string {
  if (unknown.length > LONGEST_SHOWN || !(inst instanceof z.core.$ZodObject)) return ''
  const meant = nearest(unknown, Object.keys(inst._zod.def.shape))
  return meant === null ? '' : `: did you mean ${meant}?`
}

/** Of a union whose variants differ in one field: the issue names that field, its input is the whole object. */
function discriminatorRule(issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string {
  const given = (issue.input as { [field: string]: unknown })[issue.discriminator!]
  const options = issue['options'] as readonly string[]
  return given === undefined ? 'is required' : `must be one of ${options.join(', ')}`
}

const TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    string: 'a string',
    number: 'a number',
    int: 'an integer',
    boolean: 'true or false',
    array: 'an array',
    object: 'an object',
  }),
)

function sizeRule(origin: string, bound: string, size: number | bigint, inclusive = true): string {
  if (origin === 'array')
    return size === 1 && bound === 'at least' ? 'must not be empty' : `must have ${bound} ${size} entries`
  if (origin === 'string')
    return size === 1 && bound === 'at least' ? 'must not be empty' : `must have ${bound} ${size} characters`
  return inclusive
    ? `must be ${bound} ${size}`
    : `must be ${bound === 'at least' ? 'more' : 'less'} than ${size}`
}

/** What is wrong with a part of an input. */
export interface ToldIssue {
  /** Where: a path of names and places. */
  parameter: string
  /** The end of the sentence "<parameter> …". */
  reason: string
  /** The sentence, with what was given. */
  message: string
  issue: z.core.$ZodIssue
}

/**
 * What is wrong with an input. What is not known comes first: a name that was misspelt is why another one is missing.
 * `root`: what the whole input is called.
 */
export function issuesTold(issues: readonly z.core.$ZodIssue[], root: string): ToldIssue[] {
  const isUnknown = ({ code }: z.core.$ZodIssue): boolean => code === 'unrecognized_keys'
  return issues
    .toSorted((a, b) => Number(isUnknown(b)) - Number(isUnknown(a)))
    .map((issue) => {
      const path = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0]!] : issue.path
      const parameter = pathOf(path) || root
      const shown = issue.code === 'unrecognized_keys' ? '' : showInput(issue.input)
      const message = `${parameter} ${issue.message}${shown && `, got ${shown}`}`
      return { parameter, reason: issue.message, message, issue }
    })
}

function pathOf(path: readonly PropertyKey[]): string {
  let text = ''
  for (const step of path)
    text += typeof step === 'number' ? `[${step}]` : `${text && '.'}${shorten(String(step))}`
  return text
}

const shorten = (text: string): string =>
  text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN).toWellFormed()}…` : text

function showInput(input: unknown): string {
  if (typeof input === 'string') return `'${shorten(input)}'`
  if (typeof input === 'number' || typeof input === 'boolean' || input === null) return String(input)
  return ''
}
