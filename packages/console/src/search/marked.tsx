import { Fragment } from 'react'

const WORD = /[\p{L}\p{N}]+/gu
/** Scripts without spaces between words: a term is found inside of a longer run of letters. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

/** The places of the terms in a text: words that begin like a term. The last two letters of a long term may differ. */
export function matchesIn(text: string, terms: readonly string[]): [start: number, end: number][] {
  const plain = terms.map((term) => term.toLowerCase())
  const stems = plain.map((term) => (term.length > 5 ? term.slice(0, -2) : term))
  const found: [number, number][] = []
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const lower = word.toLowerCase()
    const inside = plain.find((term) => UNSPACED.test(term) && lower.includes(term))
    if (inside !== undefined) {
      const start = index + lower.indexOf(inside)
      found.push([start, start + inside.length])
    } else if (
      stems.some((stem, place) => lower.startsWith(stem) && lower.length <= plain[place]!.length + 3)
    )
      found.push([index, index + word.length])
  }
  return found
}

/** A text with the words of a query marked. */
export function Marked({ text, terms }: { text: string; terms: readonly string[] }) {
  const matches = matchesIn(text, terms)
  return (
    <>
      {matches.map(([start, end], place) => (
        <Fragment key={start}>
          {text.slice(matches[place - 1]?.[1] ?? 0, start)}
          <mark>{text.slice(start, end)}</mark>
        </Fragment>
      ))}
      {text.slice(matches.at(-1)?.[1] ?? 0)}
    </>
  )
}
