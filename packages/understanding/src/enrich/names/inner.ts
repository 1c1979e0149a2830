import {
  BEGINS_PLACE,
  COMPANY_ENDING,
  FAMILY_ENDING,
  ORGANIZATION_WORDS,
  PLACE_ENDING,
  PLACE_WORDS,
  PLACES_BEFORE,
} from './cues.ts'
import { sum, type Evidence, type Weights } from './evidence.ts'
import { isCommon, isFirstName, isLastName, isOrganization, isPerson, isPlace, isRuler } from './lexicon.ts'

interface Clue {
  weights: Weights
  holds: (words: readonly string[], name: string) => boolean
}

const first = (words: readonly string[]): string => words[0]!
const last = (words: readonly string[]): string => words.at(-1)!
const isOne = (words: readonly string[]): boolean => words.length === 1

/** Whether the word that says what the organisation is stands where it does in a name: at the end, or before `of`. */
const isCalledOrganization = (words: readonly string[]): boolean =>
  words.some((word, at) => ORGANIZATION_WORDS.has(word) && (at > 0 || /^(?:of|for)$/.test(words[1]!)))

const isOrdinary = (word: string): boolean => isCommon(word) && !isFirstName(word)

/** Of names of any length. */
const ANY: readonly Clue[] = [
  { weights: { organizations: 3 }, holds: (_, name) => isOrganization(name) },
  { weights: { locations: 3 }, holds: (_, name) => isPlace(name) },
  { weights: { people: 3 }, holds: (_, name) => isPerson(name) },
  { weights: { people: 1 }, holds: (words) => /^(?:O['’]|Mc|Mac)\p{Lu}/u.test(last(words)) },
  { weights: { organizations: 1.1 }, holds: (words) => words.some((word) => /^\p{Lu}{2,6}$/u.test(word)) },
  { weights: { organizations: 2.5 }, holds: (_, name) => /[&+]/.test(name) },
]
const OF_ONE_WORD: readonly Clue[] = [
  { weights: { people: 1.6 }, holds: (_, name) => isFirstName(name) },
  { weights: { organizations: 0.8 }, holds: (_, name) => /(?<!^Ma?c)(?<=\p{Ll})\p{Lu}/u.test(name) },
  { weights: { locations: 1.2 }, holds: (_, name) => PLACE_ENDING.test(name) },
  { weights: { organizations: 1.2 }, holds: (_, name) => COMPANY_ENDING.test(name) },
]
const OF_SEVERAL: readonly Clue[] = [
  { weights: { organizations: 4, people: -2, locations: -1 }, holds: isCalledOrganization },
  {
    weights: { organizations: 3, people: -1 },
    holds: (words) => ORGANIZATION_WORDS.has(first(words)) && !isCalledOrganization(words),
  },
  {
    weights: { organizations: 3 },
    holds: (_, name) => / and (?:Sons?|Co|Company|Partners|Brothers|Associates)$/.test(name),
  },
  { weights: { locations: 4, people: -2 }, holds: (words) => PLACE_WORDS.has(last(words)) },
  { weights: { locations: 2.5, people: -0.5 }, holds: (words) => PLACES_BEFORE.has(first(words)) },
  { weights: { locations: 2 }, holds: (words) => BEGINS_PLACE.has(first(words)) },
  { weights: { people: 3 }, holds: (words) => isRuler(first(words)) },
  { weights: { people: 3 }, holds: (words) => isFirstName(first(words)) },
  { weights: { people: 1 }, holds: (words) => /^\p{Lu}$/u.test(first(words)) },
  { weights: { people: 1.5 }, holds: (words) => isLastName(last(words)) },
  { weights: { people: 1 }, holds: (words) => FAMILY_ENDING.test(last(words)) },
  {
    weights: { people: 1 },
    holds: (words) => words.some((word) => /^(?:de|van|von|der|bin|ibn|al|del|da|dos)$/.test(word)),
  },
  // Two unknown words are mostly somebody.
  {
    weights: { people: 0.8 },
    holds: (words) =>
      words.length === 2 && words.every((word) => /^\p{Lu}[\p{Ll}'’-]+/u.test(word) && !isCommon(word)),
  },
  { weights: { people: -1 }, holds: (words) => words.every(isOrdinary) },
]

/** What a name says by its own words. */
export function inner(name: string, words: readonly string[]): Evidence {
  const clues = [...ANY, ...(isOne(words) ? OF_ONE_WORD : OF_SEVERAL)]
  return sum(clues.filter(({ holds }) => holds(words, name)).map(({ weights }) => weights))
}
