import { nlp } from './parser.ts'

export interface Term {
  text: string
  /** What stands between it and the next: a comma parts phrases. */
  post: string
  tags: ReadonlySet<string>
}

/** Read at once: the parser's memory grows with the piece, not with the text. */
const PIECE = 4_000

interface ParsedTerm {
  text: string
  pre: string
  post: string
  tags: string[]
}

interface ParsedSentence {
  terms: ParsedTerm[]
}

/** The words of English sentences with their parts of speech, sentence by sentence. */
export function taggedSentences(sentences: readonly string[]): Term[][] {
  const tagged: Term[][] = []
  for (let from = 0; from < sentences.length;) {
    let to = from
    let size = 0
    while (to < sentences.length && (to === from || size + sentences[to]!.length <= PIECE))
      size += sentences[to++]!.length
    const parsed = nlp(sentences.slice(from, to).join('\n')).json() as ParsedSentence[]
    for (const { terms } of parsed) tagged.push(hyphened(terms))
    from = to
  }
  return tagged
}

/** The parser takes `blunt-nosed` apart: here it is one word again, of the part of speech of its last. */
function hyphened(terms: readonly ParsedTerm[]): Term[] {
  const found: Term[] = []
  let before = ''
  for (const [index, { text, post, tags }] of terms.entries()) {
    if (text === '') continue
    if (post === '-') {
      before += `${text}-`
      continue
    }
    const next = terms[index + 1]?.pre.replace(/\s/g, '') ?? ''
    found.push({ text: before + text, post: post + next, tags: new Set(tags) })
    before = ''
  }
  return found
}

/** Runs of neighbouring terms that `belongs` accepts; punctuation between two terms parts them. */
export function runs(sentence: readonly Term[], belongs: (term: Term) => boolean): Term[][] {
  const found: Term[][] = []
  let open: Term[] = []
  for (const term of sentence) {
    if (belongs(term)) open.push(term)
    if (open.length > 0 && (!belongs(term) || /[^\s'’.]|\.\s/.test(term.post))) {
      found.push(open)
      open = []
    }
  }
  if (open.length > 0) found.push(open)
  return found
}
