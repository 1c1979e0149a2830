import { UnreadableFile } from '@medialog/application/ports/understanding'
import { Content } from './content.ts'
import type { Extract } from './extractor.ts'
import { readText } from './text-file.ts'

const DEEPEST = 200
/** Text that is valid JSON falls into these tokens; numbers stay as they are written, so none loses digits. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{}:,]|[^\s[\]{}:,"]+/gs

/**
 * JSON as words: `key: value` lines, an object a paragraph. A top-level `title` or `name` is the title. JSON Lines (a value
 * a line) are read as well: programs write them under this extension.
 */
export const extract: Extract = async ({ bytes, format }) => {
  const content = new Content()
  const { text, encoding } = readText(bytes, content)
  const json = text.replace(/^\ufeff/, '')
  refuseDepth(json)
  const title = titleOf(parse(json))
  addLines(json, content)
  return content.document(format, { encoding, title })
}

/** The native parser takes any depth, but nobody can read it; counted before anything is built. */
function refuseDepth(json: string): void {
  let depth = 0
  let isInString = false
  for (let at = 0; at < json.length; at++) {
    const sign = json[at]!
    if (sign === '"') isInString = !isInString
    else if (isInString) at += Number(sign === '\\')
    else if (sign === '[' || sign === '{') depth++
    else if (sign === ']' || sign === '}') depth--
    if (depth > DEEPEST)
      throw new UnreadableFile('too-large', `The JSON is nested deeper than ${DEEPEST} levels.`)
  }
}

/** Null for JSON Lines: no line of theirs speaks for the others. */
function parse(json: string): unknown {
  const value = parsed(json)
  if (value !== undefined) return value
  const lines = json.split('\n').filter((line) => line.trim() !== '')
  if (lines.length > 1 && lines.every((line) => parsed(line) !== undefined)) return null
  throw new UnreadableFile('corrupted', 'The file is not valid JSON.')
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

function titleOf(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const { title, name } = value as Record<string, unknown>
  const first = title ?? name
  return typeof first === 'string' ? first : null
}

function addLines(json: string, content: Content): void {
  let lines: string[] = []
  let key = ''
  const flush = (): void => {
    content.paragraph(lines.join('\n'))
    lines = []
  }
  let last: string | null = null
  const say = (value: string): void => {
    lines.push(key === '' ? value : `${key}: ${value}`)
    key = ''
  }
  for (const [token] of json.matchAll(TOKEN)) {
    if (content.full) return
    if (token === ':') {
      key = last ?? ''
      last = null
      continue
    }
    if (last !== null) say(last)
    last = null
    if (token.startsWith('"')) last = JSON.parse(token) as string
    else if (token === '{' || token === '[') {
      if (token === '{' || key !== '') flush()
      if (key !== '') lines.push(key)
      key = ''
    } else if (token === '}') flush()
    else if (token !== ']' && token !== ',') say(token)
  }
  if (last !== null) say(last)
  flush()
}
