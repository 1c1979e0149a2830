import { Parser } from 'htmlparser2'
import { lexer, type Token, type Tokens } from 'marked'
import { parse } from 'yaml'
import { Content, LENGTH_BUDGET } from './content.ts'
import type { Extract } from './extractor.ts'
import { readHtml } from './html-text.ts'
import { readText } from './text-file.ts'

const FRONT_MATTER = /^\ufeff?---[ \t]*\r?\n([^]*?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/
/** CommonMark with tables; YAML front matter names title, author and language. */
export const extract: Extract = async ({ bytes, format }) => {
  const content = new Content()
  const { text, encoding } = readText(bytes, content)
  const { meta, length } = frontMatter(text, content)
  const body = text.slice(length)
  addBlocks(lexer(body.slice(0, LENGTH_BUDGET)), content)
  if (body.length > LENGTH_BUDGET && !content.full) content.truncate()
  const top = content.sections.filter(({ level }) => level === 1)
  const onlyTopHeading = top.length === 1 ? top[0]!.title : null
  return content.document(format, { ...meta, title: meta.title ?? onlyTopHeading, encoding })
}

interface Meta {
  title?: unknown
  author?: unknown
  language?: string
}

/** A name as front matter has it. Prose between two rules may have colons, too. */
const FIELD = /^[A-Za-z][\w.-]*$/
const FIRST_FIELD = /^(?:\s*(?:#.*)?\r?\n)*[A-Za-z][\w.-]*:(?:\s|$)/

/** The YAML mapping between two rules at the top of the text, and how long it is; none where there is no mapping. */
function frontMatter(text: string, content: Content): { meta: Meta; length: number } {
  const nothing = { meta: {}, length: 0 }
  const [whole, yaml] = FRONT_MATTER.exec(text) ?? []
  if (whole === undefined || yaml === undefined) return nothing
  try {
    const fields = parse(yaml, { maxAliasCount: 0 }) as Record<string, unknown> | null
    if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return nothing
    if (!Object.keys(fields).every((name) => FIELD.test(name))) return nothing
    return { meta: metaOf(fields), length: whole.length }
  } catch {
    if (!FIRST_FIELD.test(yaml)) return nothing
    content.warn('The front matter is not valid YAML and was left out.')
    return { meta: {}, length: whole.length }
  }
}

function metaOf(fields: Record<string, unknown>): Meta {
  const author = fields['author'] ?? fields['authors']
  const language = fields['lang'] ?? fields['language']
  return {
    title: fields['title'],
    author: Array.isArray(author) ? author.filter((name) => typeof name === 'string').join(', ') : author,
    ...(typeof language === 'string' && { language }),
  }
}

function addBlocks(tokens: Token[], content: Content): void {
  for (const token of tokens) {
    if (content.full) return
    addBlock(token, content)
  }
}

function addBlock(token: Token, content: Content): void {
  content.figureCount += countImages(token)
  switch (token.type) {
    case 'heading':
      return content.heading(plain(token), (token as Tokens.Heading).depth)
    case 'table': {
      const { header, rows } = token as Tokens.Table
      return content.table([header, ...rows].map((row) => row.map((cell) => inline(cell.tokens))))
    }
    case 'blockquote':
      return addBlocks(partsOf(token), content)
    case 'list':
      for (const item of (token as Tokens.List).items) addBlocks(item.tokens, content)
      return
    case 'html':
      return readHtml(token.raw, content, { headings: true })
    case 'code':
      return content.listing(plain(token))
    case 'space':
    case 'hr':
    case 'def':
      return
    default:
      content.paragraph(plain(token))
  }
}

/** Pictures of a block's own text; those of blocks inside it are counted with them. */
function countImages(token: Token): number {
  if (!['heading', 'paragraph', 'text', 'table'].includes(token.type)) return 0
  const cells =
    token.type === 'table' ? [(token as Tokens.Table).header, ...(token as Tokens.Table).rows].flat() : []
  return imagesIn([...partsOf(token), ...cells.flatMap((cell) => cell.tokens)])
}

const imagesIn = (tokens: Token[]): number =>
  tokens.reduce((sum, token) => sum + (token.type === 'image' ? 1 : imagesIn(partsOf(token))), 0)

const partsOf = (token: Token): Token[] => ('tokens' in token && token.tokens) || []

const inline = (tokens: Token[]): string => tokens.map(plain).join('')

/** The words of a token without its marks; a picture reads as its description. */
function plain(token: Token): string {
  if (token.type === 'br') return '\n'
  if (token.type === 'html') return token.raw.replace(/<br\s*\/?>/gi, '\n').replace(/<[^>]*>/g, '')
  if ('tokens' in token && token.tokens && token.type !== 'image') return inline(token.tokens)
  return 'text' in token && typeof token.text === 'string' ? unescaped(token.text) : ''
}

/** Every entity of HTML stands for its character, as CommonMark (6.2) has it. */
function unescaped(text: string): string {
  if (!text.includes('&')) return text
  let decoded = ''
  const parser = new Parser({ ontext: (piece) => (decoded += piece) })
  // Of marks that are left in a text none is a tag.
  parser.end(text.replaceAll('<', '&lt;'))
  return decoded.replaceAll('\u00a0', ' ')
}
