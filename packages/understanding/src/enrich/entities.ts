import type { Entities } from '@medialog/application/ports'
import type { Term } from './grammar.ts'
import { namesIn } from './names/names.ts'
import { wordsOf } from './words.ts'

const LIMIT = 12
const THINGS = new Set(
  `aircraft airplane apple ball bag bed bell bench bicycle bike boat book bottle bowl box bridge brush bus cable cake
  camera candle car card carpet cart castle cat chair clock coat coin computer cup curtain desk dish dog door dress drum
  engine flag flower fork fridge glass gloves guitar hammer hat helmet helicopter horse house jacket keyboard kite
  knife ladder lamp laptop lens lock map mask microscope mirror motorcycle mug needle oven painting pan pen
  pencil phone piano pillow pipe plane pot printer radio ring robot rocket rope rug satellite scissors
  screen sculpture shelf ship shirt shoe sofa spoon statue stove telescope television tent tool toy tractor
  train tray truck umbrella vase vehicle violin wallet wheel window wing`.split(/\s+/),
)

/**
 * Named people, organisations and locations of an English text, and everyday objects, most frequent first. `tagged` are
 * the words of `sentences` with their parts of speech.
 */
export function entitiesOf(
  sentences: readonly string[],
  headings: readonly string[],
  tagged: readonly (readonly Term[])[],
): Omit<Entities, 'concepts'> {
  return { ...namesIn(sentences, headings), objects: objectsIn(tagged) }
}

function objectsIn(tagged: readonly (readonly Term[])[]): string[] {
  const counts = new Map<string, number>()
  for (const sentence of tagged)
    for (const [index, term] of sentence.entries()) {
      const thing = thingIn(term)
      // `Car doors` are doors: a noun before another only says of which kind it is.
      if (thing && !(term.post.trim() === '' && sentence[index + 1]?.tags.has('Noun')))
        counts.set(thing, (counts.get(thing) ?? 0) + 1)
    }
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, LIMIT)
    .map(([thing]) => thing)
}

function thingIn({ text, tags }: Term): string | null {
  if (!tags.has('Noun') || tags.has('ProperNoun')) return null
  const word = wordsOf(text)[0] ?? ''
  return [word, word.replace(/s$/, '')].find((form) => THINGS.has(form)) ?? null
}
