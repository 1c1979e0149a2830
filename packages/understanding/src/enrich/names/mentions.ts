import { HEADS, MATTERS, TAILS } from './cues.ts'
import {
  isCommon,
  isFirstName,
  isFunctionWord,
  isNationality,
  isPlace,
  isRole,
  isRuler,
  isVerbForm,
} from './lexicon.ts'

interface Token {
  text: string
  /** What stands between it and the token before. */
  gap: string
}

/** A run of words written as a name, and what stands around it. */
export interface Mention {
  name: string
  words: string[]
  /** Three words before and five after, lower case, nearest first; none from beyond the sentence. */
  left: string[]
  right: string[]
  /** What stands directly before and behind: spaces, commas, brackets, `'s`. */
  opened: string
  closed: string
  /** Titles and roles that stood before the name in capitals: `Mayor`, `Dr`. */
  titles: string[]
  /** Whether it is all of a line. */
  alone: boolean
  /** Whether the line is a title or heading. */
  heading: boolean
  /** The name before it in a list: `A, B and C`. */
  listed: string | null
}

const TOKEN = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:['’.&+/-](?=[\p{L}\p{N}])[\p{L}\p{M}\p{N}]+)*/gu
const PARTICLES = new Set(
  'de del della der den di da dos das du van von zu al bin ibn la le ten ter af y e'.split(' '),
)
/** Ends of names that are not their own: `Taiwan's`. */
const POSSESSIVE = /['’]s?$/u
/** Written in capitals, and no name by itself. */
const CALENDAR =
  /^(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|January|February|March|April|May|June|July|August|September|October|November|December|Mon|Tue|Tues|Wed|Thu|Thurs|Fri|Sat|Sun|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec|Christmas|Easter|I|Annual Report)$/u
/** Abbreviations of things and degrees, by themselves or at the end of a word: `PostgreSQL`. */
const TECHNICAL =
  /(?:PDF|HTML|HTTPS?|API|URL|CSV|JSON|XML|SQL|YAML|CPU|GPU|RAM|USB|PhD|MSc|BSc|GPS|LED|SSL|TLS|SSH|DNS|TCP|UDP|CSS|DB)$|^(?:TV|CD|DVD|PC|IT|AI|ID|OK|FAQ|CEO|CFO|CTO|MA|BA|MBA|VAT|GDP|DNA|RNA|AM|PM|AD|BC|I[IVX]+|VI{0,3}|XI{0,2}|MIT|README|TODO|VIP|PR|HR|QA|UI|UX|OS|IP|MEMO|MEMORANDUM|NOTE|RE|CC|GmbH|Ltd|Inc)$/u
const LANGUAGE = /^(?:English|Latin|Markdown|Mandarin|Cantonese|Hindi|Urdu|Esperanto|Sanskrit)$/u
const LONGEST = 8

function tokensOf(sentence: string): { tokens: Token[]; end: string } {
  const tokens: Token[] = []
  let end = 0
  for (const { 0: text, index } of sentence.matchAll(TOKEN)) {
    tokens.push({ text, gap: sentence.slice(end, index) })
    end = index + text.length
  }
  return { tokens, end: sentence.slice(end) }
}

const isCapital = (text: string | undefined): boolean =>
  text !== undefined && /^(?:\p{Lu}|\d+\p{Lu})/u.test(text)

/** The names of a sentence or line, in order. */
export function mentionsIn(sentence: string, heading: boolean): Mention[] {
  const { tokens, end } = tokensOf(sentence)
  const found: Mention[] = []
  for (let at = 0; at < tokens.length;) {
    if (!isCapital(tokens[at]!.text)) {
      at++
      continue
    }
    const to = runEnd(tokens, at)
    const mention = mentionOf(tokens, at, to, end, heading)
    if (mention) found.push(mention)
    at = to
  }
  return listed(found)
}

/** Where the run of a name that begins at `from` ends. */
function runEnd(tokens: readonly Token[], from: number): number {
  let to = from + 1
  while (to < tokens.length && to - from < LONGEST) {
    const step = stepOf(tokens, from, to)
    if (step === 0) break
    to += step
  }
  return to
}

/** How many tokens from `to` on belong to the run too. */
function stepOf(tokens: readonly Token[], from: number, to: number): number {
  const before = tokens[to - 1]!.text
  const { text, gap } = tokens[to]!
  const next = tokens[to + 1]
  const joins = gap === ' ' || /^ [&+] $/.test(gap) || (gap === '. ' && isShort(before))
  if (!joins) return 0
  if (
    POSSESSIVE.test(before) &&
    !(isCapital(text) && TAILS.has(text) && !isPlace(before.replace(POSSESSIVE, '')))
  )
    return 0
  if (isCapital(text)) return CALENDAR.test(text) ? 0 : 1
  if (next?.gap !== ' ') return 0
  const run = tokens.slice(from, to).map((token) => token.text)
  if (PARTICLES.has(text)) {
    const further = PARTICLES.has(next.text) ? tokens[to + 2] : next
    if (further?.gap === ' ' && isCapital(further.text)) return further === next ? 1 : 2
  }
  if ((text === 'of' || text === 'for') && run.some((word) => HEADS.has(word))) {
    if (isCapital(next.text)) return 1
    const behind = tokens[to + 2]
    if (next.text === 'the' && behind?.gap === ' ' && isCapital(behind.text)) return 2
  }
  if ((text === 'and' || text === 'for') && isCapital(next.text) && holdsTogether(tokens, from, to)) return 1
  return 0
}

const isShort = (word: string): boolean =>
  /^(?:\p{Lu}|St|Dr|Mr|Mrs|Ms|Prof|Ste|Mt|Ft|Gen|Sen|Gov|Rev|Capt)$/u.test(word)

/** `Health and Safety Executive`, `Marshall and Sons`, but not `Siemens and Deutsche Bank`. */
function holdsTogether(tokens: readonly Token[], from: number, and: number): boolean {
  const after = tokens[and + 1]!.text
  if (/^(?:Sons?|Co|Company|Partners|Brothers|Associates|Daughters?)$/.test(after)) return true
  const before = tokens[and - 1]!.text
  if (!MATTERS.has(before)) return false
  const run = tokens.slice(from, and).some(({ text }) => HEADS.has(text))
  return MATTERS.has(after) && (run || and + 2 >= tokens.length || isCapital(tokens[and + 2]!.text))
}

const isTitle = (word: string): boolean => isRole(word) && !isFirstName(word)

function mentionOf(
  tokens: readonly Token[],
  from: number,
  to: number,
  end: string,
  heading: boolean,
): Mention | null {
  let begin = from
  // Where ordinary words are in capitals too.
  const first =
    from === 0 || /[.:!?“"‘(|•*–—-]\s*$/u.test(tokens[from]!.gap) || /["“‘]/u.test(tokens[from]!.gap)
  const titles: string[] = []
  while (begin < to - 1 && strips(tokens, begin, to, first && begin === from + titles.length)) {
    titles.push(tokens[begin]!.text.toLowerCase())
    begin++
  }
  const words = tokens.slice(begin, to).map(({ text }) => text)
  const closing = tokens[to]?.gap ?? end
  const possessive = POSSESSIVE.exec(words.at(-1)!)?.[0] ?? ''
  words[words.length - 1] = words.at(-1)!.slice(0, words.at(-1)!.length - possessive.length)
  const name = nameOf(tokens, begin, to, possessive)
  if (name.length < 2 || CALENDAR.test(name) || isNothing(words, first)) return null
  const lower = (some: readonly Token[]): string[] => some.map(({ text }) => text.toLowerCase())
  return {
    name,
    words,
    left: lower(tokens.slice(Math.max(0, begin - 3), begin).reverse()),
    right: lower(tokens.slice(to, to + 5)),
    opened: tokens[begin]!.gap,
    closed: possessive === '' ? closing : `${possessive}${closing}`,
    titles,
    alone: begin === 0 && to === tokens.length,
    heading,
    listed: null,
  }
}

/** Whether the first word of a run is none of the name: a title, or an ordinary word that begins the sentence. */
function strips(tokens: readonly Token[], at: number, to: number, first: boolean): boolean {
  const word = tokens[at]!.text
  if (HEADS.has(tokens[to - 1]!.text) && !/^(?:The|Our|This|In|At|Dr|Mr|Mrs|Ms)$/.test(word))
    return word === 'The'
  // `King Sejong`: without the title nothing but a first name would be left.
  if (isRuler(word)) return to - at > 2
  if (isTitle(word) || /^(?:The|Dear|Hi|Hello)$/.test(word)) return true
  return first && (isFunctionWord(word) || isVerbForm(word)) && !isFirstName(word)
}

function nameOf(tokens: readonly Token[], begin: number, to: number, possessive: string): string {
  const name = tokens
    .slice(begin, to)
    .map(({ text, gap }, index) => (index === 0 ? text : gap + text))
    .join('')
  const bare = name.slice(0, name.length - possessive.length)
  return /\b(?:Inc|Ltd|Corp)$/.test(bare) ? `${bare}.` : bare
}

/** Capitals that a sentence, an abbreviation or a nationality has, and no name. */
function isNothing(words: readonly string[], first: boolean): boolean {
  if (words.length > 1) return false
  const [word] = words as [string]
  if (TECHNICAL.test(word) || /\.\p{Ll}+$/u.test(word)) return true
  if (isNationality(word) || LANGUAGE.test(word)) return true
  if (isFirstName(word) || isPlace(word)) return false
  return isFunctionWord(word) || (isRole(word) && !/^\p{Lu}{2}/u.test(word)) || (first && isCommon(word))
}

/** Links the mentions of lists: `A and B`, `A, B, C`, but not `Newport, Rhode Island`. */
function listed(mentions: readonly Mention[]): Mention[] {
  const links = mentions.map((mention, index): ',' | 'and' | null => {
    const last = mentions[index - 1]?.words.at(-1)?.toLowerCase()
    if (last === undefined || mention.titles.length > 0) return null
    if (/^(?:and|or)$/.test(mention.left[0] ?? '') && mention.left[1] === last) return 'and'
    return mention.left[0] === last && mention.opened === ', ' ? ',' : null
  })
  return mentions.map((mention, index) => {
    const isList = links[index] === 'and' || (links[index] === ',' && (links[index - 1] ?? links[index + 1]))
    return { ...mention, listed: isList ? mentions[index - 1]!.name : null }
  })
}
