import type { Entities } from '@medialog/application/ports'
import { joined, runs, type Term } from './grammar.ts'
import { wordsOf } from './words.ts'

const LIMIT = 12
const ORGANIZATION =
  /\b(?:Inc|Ltd|LLC|GmbH|Corp|Corporation|Company|University|Institute|Bank|Ministry|Department|Committee|Agency|Foundation|Association|Council|Commission|Union|Laboratory|Laboratories|Society|Museum|Hospital|College|School|Party|Group|Airlines|Orchestra|Club|Press|Court)\b/u
const LOCATION =
  /\b(?:River|Lake|Mount|Mountains?|Island|Islands|Valley|Street|Avenue|Road|Square|Desert|Ocean|Sea|Bay|Bridge|Park|Forest|Province|County|Republic|Sound|Strait|Gulf|Canal|Cape|Falls|Harbou?r|Peninsula)\b/u
/** Titles go before a person's name and are no part of it. */
const TITLE =
  /^(?:(?:Mr|Mrs|Ms|Dr|Prof|Sir|Lady|President|Chancellor|Minister|Senator|Professor|Doctor|Captain|General|King|Queen|Judge|Director)\.? )+/u
/** What the parser takes for names although it is none. */
const NO_NAME =
  /^(?:I|The|A|An|This|That|It|Introduction|Background|Methods?|Results?|Discussion|Conclusions?|Summary|Abstract|Contents|Overview|References|Appendix|Notes?|Chapter|Section|Table|Figure|Page|Annual Report|English|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|January|February|March|April|May|June|July|August|September|October|November|December)$/u
const THINGS = new Set(
  `aircraft airplane apple ball bag bed bell bench bicycle bike boat book bottle bowl box bridge brush bus cable cake
  camera candle car card carpet cart castle cat chair clock coat coin computer cup curtain desk dish dog door dress drum
  engine flag flower fork fridge glass gloves guitar hammer hat helmet helicopter horse house jacket keyboard kite
  knife ladder lamp laptop lens lock map mask microscope mirror motorcycle mug needle oven painting pan pen
  pencil phone piano pillow pipe plane pot printer radio ring robot rocket rope rug satellite scissors
  screen sculpture shelf ship shirt shoe sofa spoon statue stove telescope television tent tool toy tractor
  train tray truck umbrella vase vehicle violin wallet wheel window wing`.split(/\s+/),
)

type Kind = 'people' | 'organizations' | 'locations'

const capitalised = ({ text }: Term): boolean => /^\p{Lu}/u.test(text)
const isName = (term: Term): boolean =>
  capitalised(term) && term.tags.has('ProperNoun') && !term.tags.has('Date')

/** What a run of capitalised words names: by its own words first, then by what the parser's lexicon says of them. */
function kindOf(name: string, terms: readonly Term[]): Kind | null {
  if (ORGANIZATION.test(name)) return 'organizations'
  if (LOCATION.test(name)) return 'locations'
  const has = (...tags: string[]): boolean => terms.some((term) => tags.some((tag) => term.tags.has(tag)))
  const last = terms.at(-1)!
  if (has('FirstName') && (terms.length > 1 || !has('Place', 'Organization'))) return 'people'
  if (last.tags.has('Place') || last.tags.has('Country') || last.tags.has('City')) return 'locations'
  if (has('Organization')) return 'organizations'
  if (has('Person') && terms.length > 1) return 'people'
  if (has('Place')) return 'locations'
  return null
}

/** Named people, organisations, locations and everyday objects of an English text, most frequent first. */
export function entitiesOf(sentences: readonly (readonly Term[])[]): Omit<Entities, 'concepts'> {
  const counts: Record<Kind, Map<string, number>> = {
    people: new Map(),
    organizations: new Map(),
    locations: new Map(),
  }
  const things = new Map<string, number>()
  const written = new Set(sentences.flatMap((sentence) => sentence.map(({ text }) => text)))
  for (const sentence of sentences) {
    for (const run of namesIn(sentence)) {
      const name = joined(run)
        .replace(/^The /, '')
        .replace(/[.,;:]+$/, (end) =>
          /\b(?:Inc|Ltd|Corp)$/.test(joined(run).slice(0, -end.length)) ? '.' : '',
        )
      const kind =
        name.length < 2 || NO_NAME.test(name) || written.has(name.toLowerCase()) ? null : kindOf(name, run)
      if (kind) add(counts[kind], kind === 'people' ? untitled(name) : name)
    }
    for (const [index, term] of sentence.entries()) {
      const thing = thingIn(term)
      // `Car doors` are doors: a noun before another only says of which kind it is.
      if (thing && !(term.post.trim() === '' && sentence[index + 1]?.tags.has('Noun'))) add(things, thing)
    }
  }
  return {
    people: ranked(withoutParts(counts.people)),
    organizations: ranked(counts.organizations),
    locations: ranked(counts.locations),
    objects: ranked(things),
  }
}

function thingIn({ text, tags }: Term): string | null {
  if (!tags.has('Noun') || tags.has('ProperNoun')) return null
  const word = wordsOf(text)[0] ?? ''
  return [word, word.replace(/s$/, '')].find((form) => THINGS.has(form)) ?? null
}

/** A person without the title before the name, unless nothing but a first name would be left: `King Sejong`. */
function untitled(name: string): string {
  const bare = name.replace(TITLE, '')
  return bare.includes(' ') || bare === name ? bare : name
}

/** Runs of names; `University of Tokyo` is one, `Lake Geneva in Switzerland` two; a change of kind parts them. */
function namesIn(sentence: readonly Term[]): Term[][] {
  const of = (term: Term, index: number): boolean =>
    term.text === 'of' &&
    index > 0 &&
    ORGANIZATION.test(sentence[index - 1]!.text) &&
    capitalised(sentence[index + 1] ?? term)
  const linked = new Set(sentence.filter(of))
  return runs(sentence, (term) => isName(term) || linked.has(term)).filter((run) => run.some(isName))
}

const add = (counts: Map<string, number>, name: string): void => {
  if (name !== '') counts.set(name, (counts.get(name) ?? 0) + 1)
}

/** `Schmidt` is `Maria Schmidt` again where both are named. */
function withoutParts(people: Map<string, number>): Map<string, number> {
  const whole = [...people.keys()].filter((name) => name.includes(' '))
  return new Map(
    [...people].filter(
      ([name]) => name.includes(' ') || !whole.some((full) => full.split(' ').includes(name)),
    ),
  )
}

const ranked = (counts: Map<string, number>): string[] =>
  [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, LIMIT)
    .map(([name]) => name)
