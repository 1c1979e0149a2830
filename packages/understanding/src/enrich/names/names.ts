import { capped, decided, scaled, sum, type Evidence, type Kind } from './evidence.ts'
import { inner } from './inner.ts'
import { isCommon, isFirstName, isPlace } from './lexicon.ts'
import { mentionsIn, type Mention } from './mentions.ts'
import { outer } from './outer.ts'

interface Named {
  name: string
  words: string[]
  mentions: Mention[]
  evidence: Evidence
}

const LIMIT = 12
/** However often a name is mentioned: its own words count too. */
const MOST_OUTER = 4
const OF_NEIGHBOUR = 0.6

/**
 * Named people, organisations and locations of an English text, most frequent first, at most 12 each. What a name is
 * follows from evidence that is added up: its own words, the words around each mention, its neighbours in lists.
 */
export function namesIn(sentences: readonly string[], headings: readonly string[]): Record<Kind, string[]> {
  const mentions = [
    ...sentences.flatMap((sentence) => mentionsIn(sentence, false)),
    ...headings.flatMap((heading) => mentionsIn(heading, true)),
  ]
  const written = lowerCaseWords(sentences)
  const named = new Map<string, Named>()
  for (const mention of mentions) {
    if (mention.words.length === 1 && written.has(mention.name.toLowerCase()) && !isPlace(mention.name))
      continue
    const { name, words } = mention
    const known = named.get(name) ?? { name, words, mentions: [], evidence: inner(name, words) }
    known.mentions.push(mention)
    named.set(name, known)
  }
  const all = [...named.values()].filter(isMoreThanHeading)
  for (const one of all) one.evidence = sum([one.evidence, capped(sum(one.mentions.map(outer)), MOST_OUTER)])
  withNeighbours(all)
  return ranked(withoutParts(all))
}

const lowerCaseWords = (sentences: readonly string[]): Set<string> =>
  new Set(sentences.flatMap((sentence) => sentence.match(/(?<![\p{L}\p{N}])\p{Ll}[\p{L}\p{M}]*/gu) ?? []))

/** A heading has capitals of its own: what stands only there must say by itself what it is. */
const isMoreThanHeading = ({ mentions, words }: Named): boolean =>
  mentions.some(({ heading }) => !heading) ||
  (words.length > 1 && words.length < 5 && (isFirstName(words[0]!) || !words.some(isCommon)))

/**
 * In `A, B and C` what one is the others are: of a name that is decided its neighbours get part of the evidence, and theirs
 * again, once.
 */
function withNeighbours(all: readonly Named[]): void {
  const known = new Map(all.map((one) => [one.name, one]))
  const pairs = all.flatMap((one) =>
    one.mentions.flatMap(({ listed }) => {
      const other = listed === null || listed === one.name ? undefined : known.get(listed)
      return other ? [[one, other] as const, [other, one] as const] : []
    }),
  )
  const told = new Set<Named>()
  for (let round = 0; round < 2; round++) {
    const passing = pairs.flatMap(([from, to]) =>
      decided(from.evidence) && !told.has(from)
        ? [{ from, to, evidence: scaled(capped(from.evidence, MOST_OUTER), OF_NEIGHBOUR) }]
        : [],
    )
    for (const { from, to, evidence } of passing) {
      told.add(from)
      to.evidence = sum([to.evidence, evidence])
    }
  }
}

/** `Schmidt` is `Maria Schmidt` again, `Brann` is `SK Brann`, where both are named and nothing else is meant. */
function withoutParts(all: readonly Named[]): Named[] {
  const wholes = new Map<string, Named>()
  for (const one of all) for (const part of partsOf(one.words)) if (!wholes.has(part)) wholes.set(part, one)
  return all.filter(({ name, words, evidence }) => {
    const whole = wholes.get(words.join(' '))
    if (!whole) return true
    const [kind, own] = [decided(whole.evidence), decided(evidence)]
    if (kind === 'people') return isPlace(name) && own === 'locations'
    return own !== kind || (kind === 'locations' && isPlace(name))
  })
}

/** All shorter runs of its words. */
const partsOf = (words: readonly string[]): string[] =>
  words.flatMap((_, from) =>
    words.flatMap((_, to) =>
      to >= from && to - from + 1 < words.length ? [words.slice(from, to + 1).join(' ')] : [],
    ),
  )

function ranked(all: readonly Named[]): Record<Kind, string[]> {
  const found: Record<Kind, string[]> = { people: [], organizations: [], locations: [] }
  for (const one of [...all].sort((a, b) => b.mentions.length - a.mentions.length)) {
    const kind = decided(one.evidence)
    if (kind && found[kind].length < LIMIT) found[kind].push(one.name)
  }
  return found
}
