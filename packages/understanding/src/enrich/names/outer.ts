import {
  BEFORE,
  BEHIND,
  COMPANIES,
  ORGANIZATION_PHRASES,
  OWNED_BY_COMPANY,
  OWNED_BY_PLACE,
  PLACES_OF,
  type Cue,
} from './cues.ts'
import { sum, type Evidence, type Weights } from './evidence.ts'
import { isCommon, isLand, isPast, isPlace, isRole } from './lexicon.ts'
import type { Mention } from './mentions.ts'

/** What the words around a mention say of it. */
export function outer(mention: Mention): Evidence {
  const titled = mention.titles.some((title) => isRole(title) || /^(?:dear|hi|hello)$/.test(title))
  const clues: Weights[] = titled ? [{ people: 3, organizations: -1, locations: -1 }] : []
  if (!mention.heading) clues.push(...before(mention), ...behind(mention), ...placed(mention))
  return sum(clues)
}

const cued = (cues: readonly Cue[], word: string | undefined): Weights[] =>
  cues.flatMap(({ words, weights }) => (word !== undefined && words.has(word) ? [weights] : []))

function before({ left, opened, words }: Mention): Weights[] {
  if (opened === ', ' && isRole(left[0] ?? '')) return [{ organizations: 1.5 }]
  if (left[0] === undefined || !/^\s*["“‘]?$/u.test(opened)) return []
  const definite = left[0] === 'the'
  const clues: Weights[] = []
  if (definite) clues.push({ people: -2, organizations: words.length > 1 ? 0.8 : -0.8, locations: 0.4 })
  if (isRole(left[0])) clues.push({ people: 2.5 })
  const phrase = definite ? left.slice(1) : left
  if (phrase[0] === 'of' && PLACES_OF.has(phrase[1] ?? '')) clues.push({ locations: 3 })
  const isOrganization = ORGANIZATION_PHRASES.some((pattern) => pattern.test(phrase.join(' ')))
  return [...clues, ...(isOrganization ? [{ organizations: 2 }] : cued(BEFORE, phrase[0]))]
}

function behind({ right, closed, words }: Mention): Weights[] {
  const [next = ''] = right
  if (/^ <|^ \(\w+@/.test(closed)) return [{ people: 3 }]
  if (/^['’]s?\s/u.test(closed))
    return [
      ...(right.some((word) => OWNED_BY_COMPANY.has(word)) ? [{ organizations: 2 }] : []),
      ...(OWNED_BY_PLACE.has(next) ? [{ locations: 2 }] : []),
    ]
  if (/^,\s/.test(closed)) return behindComma(right)
  if (closed !== ' ') return []
  return [...cued(BEHIND, next), ...(words.length === 2 && isPast(next) ? [{ people: 0.4 }] : [])]
}

function behindComma(right: readonly string[]): Weights[] {
  const [next = '', after = ''] = right
  const hasArticle = /^(?:a|an|the|our|its|his|her)$/.test(next)
  const noun = hasArticle ? after : next
  if (next === 'who') return [{ people: 3 }]
  if (next === 'whose') return [{ people: 1 }]
  if (next === 'where') return [{ locations: 2.5 }]
  if (next === 'which') return [{ organizations: 1, locations: 0.7, people: -1.5 }]
  if (COMPANIES.has(noun)) return [{ organizations: 2.5 }]
  if (isRole(noun) || after === 'executive' || (hasArticle && right.slice(2, 4).some(isRole)))
    return [{ people: 2.5 }]
  if (/^\d\d$/.test(next)) return [{ people: 2 }]
  if (isLand(next)) return [{ locations: 1.8 }]
  return isPlace(next) ? [{ organizations: 0.8, locations: 0.4 }] : []
}

/** What it says that a name stands in brackets, or alone in its line. */
function placed({ opened, closed, alone, words }: Mention): Weights[] {
  if (opened.endsWith('(') && closed.startsWith(')')) return [{ organizations: 1.5 }]
  if (!alone) return []
  if (words.every(isCommon)) return [{ organizations: -3 }]
  return words.length > 1 && words.length < 4 ? [{ people: 0.6 }] : []
}
